//! What to say about names that exist on the host alone, and rustc's own text in compact form.

use super::RustcMessage;

/// Whether rustc says that a name, path, macro or attribute does not exist.
pub(super) fn name_not_found(message: &RustcMessage) -> bool {
    let codes = [
        "E0404", "E0405", "E0407", "E0411", "E0412", "E0422", "E0423", "E0425", "E0432", "E0433", "E0531",
        "E0532", "E0573", "E0574", "E0576", "E0603",
    ];
    match message.code.as_deref() {
        Some(code) => codes.contains(&code),
        None => message.message.starts_with("cannot find "),
    }
}

/// Whether an error that the view does not explain is one of the language, which the host compiler finds as well.
/// (Where it does not, the macro still tells it, less directly.)
pub(super) fn same_on_the_host(message: &RustcMessage) -> bool {
    let codes = [
        "E0004", "E0005", "E0023", "E0026", "E0027", "E0040", "E0060", "E0061", "E0063", "E0069", "E0070",
        "E0106", "E0107", "E0133", "E0261", "E0277", "E0282", "E0283", "E0308", "E0309", "E0310", "E0369",
        "E0373", "E0381", "E0382", "E0384", "E0434", "E0499", "E0502", "E0503", "E0505", "E0506", "E0507",
        "E0515", "E0521", "E0559", "E0560", "E0594", "E0596", "E0597", "E0599", "E0600", "E0604", "E0605",
        "E0606", "E0607", "E0608", "E0609", "E0610", "E0614", "E0615", "E0616", "E0618", "E0620", "E0621",
        "E0716",
    ];
    message.code.as_deref().is_some_and(|code| codes.contains(&code)) || name_not_found(message)
}

/// What to do about code of a crate that is no device crate.
pub(super) const OTHER_CRATES: &str = "device code can use `core`, `warpweft` and #[device] items of its own package; \
     move the code here, or call it on the host alone";

/// Explains a path that names something of std or alloc. `rest` is what follows the name.
pub(super) fn missing(path: &[String], rest: &str) -> Option<String> {
    let name = path.last()?.as_str();
    let written = path.join("::");
    if rest.trim_start().starts_with('!') || path.len() == 1 {
        let text = match name {
            "println" | "print" | "eprintln" | "eprint" | "dbg" => {
                "prints, which only the host does: write the values to a buffer and print them after the launch"
            }
            "vec" | "format" => "allocates, and device code has no allocator: use an array of fixed length",
            "thread_local" => "is of std: a thread's own variables are the locals of its kernel",
            "is_x86_feature_detected" | "is_aarch64_feature_detected" => "asks for features of a CPU",
            _ => "",
        };
        if !text.is_empty() {
            return Some(format!("`{name}!` {text}"));
        }
    }
    if path.len() == 1 || ["std", "alloc"].contains(&path[0].as_str()) {
        if let Some(hint) = hint(path) {
            return Some(format!("`{written}` is host-only: {hint}"));
        }
        if path.len() > 1 {
            let crate_name = &path[0];
            return Some(format!(
                "`{written}` is host-only: device code has `core`, and of `{crate_name}` only what is in it"
            ));
        }
    }
    None
}

/// What to use instead of a name of std or alloc.
pub(super) fn hint(path: &[String]) -> Option<&'static str> {
    let has = |name: &str| path.iter().any(|segment| segment == name);
    Some(match path.last()?.as_str() {
        "Vec" | "VecDeque" | "BinaryHeap" | "LinkedList" | "ToOwned" => {
            "device code has no allocator; use an array of fixed length, or a buffer passed to the kernel"
        }
        "Box" | "Rc" | "Arc" | "Cow" => "device code has no allocator; use a value or a reference",
        "String" | "ToString" => "device code has no allocator; text is made on the host",
        "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet" => {
            "device code has no allocator; look values up in a slice passed to the kernel"
        }
        "Mutex" | "RwLock" | "Condvar" | "Barrier" | "Once" | "OnceLock" | "LazyLock" => {
            "threads of a block meet at `sync_threads`, and all threads share `Atomics<T>` views"
        }
        "Instant" | "SystemTime" => "time kernels on the host, with events",
        _ if has("io") || has("fs") || has("net") || has("env") || has("process") => {
            "files, network and environment belong to the host"
        }
        _ if has("alloc") => "device code has no allocator",
        _ => return None,
    })
}

/// Explains a method of floats that std alone defines.
pub(super) fn float_method(message: &RustcMessage, name: &str) -> Option<String> {
    let float = ["`f32`", "`f64`", "`{float}`"].iter().find(|float| message.message.contains(**float))?;
    let of_std = [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "exp",
        "exp2",
        "exp_m1",
        "ln",
        "ln_1p",
        "log",
        "log2",
        "log10",
        "powf",
        "powi",
        "sqrt",
        "cbrt",
        "hypot",
        "floor",
        "ceil",
        "round",
        "round_ties_even",
        "trunc",
        "fract",
        "abs",
        "mul_add",
        "sin_cos",
        "div_euclid",
        "rem_euclid",
        "copysign",
        "signum",
        "rsqrt",
    ];
    of_std.contains(&name).then(|| {
        format!(
            "`{name}` of {float} is std's own method: `use warpweft::prelude::*` brings the device's, where it \
             has one"
        )
    })
}

/// Explains a method that needs an allocator.
pub(super) fn alloc_method(name: &str) -> Option<String> {
    let of_alloc = [
        "to_string",
        "to_owned",
        "to_vec",
        "into_vec",
        "into_boxed_slice",
        "repeat",
        "concat",
        "join",
        "to_uppercase",
        "to_lowercase",
        "replace",
        "sort",
        "sort_by",
        "sort_by_key",
    ];
    of_alloc.contains(&name).then(|| format!("`{name}` is of `alloc`, and device code has no allocator"))
}

/// The names in backquotes of a message, as they stand.
pub(super) fn quoted(message: &str) -> Option<&str> {
    message.get(message.find('`')?..=message.rfind('`')?)
}

/// How rustc's messages write the operator of a trait.
pub(super) fn operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "Add" => "cannot add",
        "Sub" => "cannot subtract",
        "Mul" => "cannot multiply",
        "Div" => "cannot divide",
        "Rem" => "cannot calculate",
        "Neg" => "unary operator `-`",
        "Not" => "unary operator `!`",
        "Index" | "IndexMut" => "cannot index",
        "AddAssign" => "`+=`",
        "SubAssign" => "`-=`",
        "MulAssign" => "`*=`",
        "DivAssign" => "`/=`",
        "PartialEq" => "`==`",
        _ => return None,
    })
}

/// rustc's own text: message, label, notes and help, without pictures of the source.
pub(super) fn rustc(message: &RustcMessage) -> String {
    let mut text = format!("in device code: {}", message.message);
    let label = message.spans.iter().find(|span| span.is_primary).and_then(|span| span.label.as_deref());
    if let Some(label) = label.filter(|label| !label.is_empty() && !message.message.contains(label)) {
        text += &format!(": {label}");
    }
    for child in &message.children {
        if !["help", "note"].contains(&child.level.as_str()) || child.message.is_empty() {
            continue;
        }
        text += &format!("\n{}: {}", child.level, child.message);
        let suggestion = child.spans.iter().find_map(|span| span.suggestion.as_deref()).map(str::trim);
        if let Some(suggestion) = suggestion.filter(|text| !text.is_empty() && !text.contains('\n')) {
            text += &format!(": `{suggestion}`");
        }
    }
    // The modules through which the macros and rustc's shortened paths name what users know from the prelude.
    text.replace("_::prelude::", "").replace("_::__private::", "")
}
