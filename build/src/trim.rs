//! Empties functions that no kernel can reach.
//!
//! A bounds check puts the address of `usize`'s `Display::fmt` into the arguments of its panic, and the panic handler
//! of the device never formats. LLVM cannot know that the address is not called. ptxas, for its part, gives a kernel
//! as many registers as the hungriest function whose address is taken needs: 50 instead of 32 for the formatting
//! of an integer, and so two thirds of the threads per multiprocessor. Where nothing that a kernel calls calls
//! through a pointer, functions that are reached only through pointers are never run.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// One function with a body.
struct Function<'a> {
    name: &'a str,
    /// Visible from outside: an entry, or a function that LLVM may call by name.
    root: bool,
    /// From the line of `{` to the line of `}`, without the latter.
    body: Range<usize>,
    /// The functions it calls by name.
    calls: Vec<&'a str>,
    /// It calls through a pointer.
    indirect: bool,
}

/// Returns the PTX with a trap in place of the body of each function that no kernel can reach. Where a kernel can
/// call through a pointer, the text is returned as it is.
pub(crate) fn unreachable_functions(ptx: String) -> String {
    let functions = functions(&ptx);
    let by_name: HashMap<&str, &Function<'_>> =
        functions.iter().map(|function| (function.name, function)).collect();
    let mut open: Vec<&str> =
        functions.iter().filter(|function| function.root).map(|function| function.name).collect();
    let mut reached: HashSet<&str> = HashSet::new();
    while let Some(name) = open.pop() {
        let Some(function) = by_name.get(name).filter(|_| reached.insert(name)) else { continue };
        if function.indirect {
            return ptx;
        }
        open.extend(&function.calls);
    }
    let mut trimmed = String::with_capacity(ptx.len());
    let mut at = 0;
    for function in functions.iter().filter(|function| !reached.contains(function.name)) {
        trimmed.push_str(&ptx[at..function.body.start]);
        trimmed.push_str("{\n\ttrap;\n\tret;\n");
        at = function.body.end;
    }
    trimmed.push_str(&ptx[at..]);
    trimmed
}

/// The functions of a PTX file as LLVM prints it: a head that starts a line, then a body between braces that stand
/// alone in their lines.
fn functions(ptx: &str) -> Vec<Function<'_>> {
    let mut functions = Vec::new();
    let mut head: Option<(&str, bool)> = None;
    let mut start = None;
    let mut offset = 0;
    for line in ptx.split_inclusive('\n') {
        let here = offset;
        offset += line.len();
        let text = line.trim_end();
        let visible = text.starts_with(".visible ") || text.starts_with(".weak ");
        let rest = text.strip_prefix(".visible ").or_else(|| text.strip_prefix(".weak ")).unwrap_or(text);
        let after = rest.strip_prefix(".entry ").or_else(|| rest.strip_prefix(".func "));
        match (after, text) {
            (Some(after), _) => {
                let entry = rest.starts_with(".entry");
                head = crate::ptx::name(after).map(|name| (name, visible || entry));
            }
            // A declaration ends without a body.
            (None, ";") if start.is_none() => head = None,
            (None, "{") if start.is_none() => start = Some(here),
            (None, "}") => {
                if let (Some((name, root)), Some(start)) = (head.take(), start.take()) {
                    let (calls, indirect) = calls(&ptx[start..here]);
                    functions.push(Function { name, root, body: start..here, calls, indirect });
                }
            }
            _ => {}
        }
    }
    functions
}

/// The names that a body calls, and whether it calls through a pointer.
fn calls(body: &str) -> (Vec<&str>, bool) {
    let mut names = Vec::new();
    let mut indirect = false;
    for (at, word) in body.match_indices("call") {
        let rest = &body[at + word.len()..];
        let rest = rest.strip_prefix(".uni").unwrap_or(rest);
        // Not `callseq` in comments, and not a part of a name.
        if !body[..at].ends_with(char::is_whitespace) || !rest.starts_with(char::is_whitespace) {
            continue;
        }
        let mut rest = rest.trim_start();
        if rest.starts_with('(') {
            rest = rest.split_once(')').map_or("", |(_, rest)| rest);
            rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        }
        let target = rest.split(|c: char| c.is_whitespace() || ",(;".contains(c)).next().unwrap_or_default();
        if target.starts_with('%') || target.is_empty() {
            indirect = true;
        } else {
            names.push(target);
        }
    }
    (names, indirect)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 6.3\n.target sm_75\n.address_size 64\n\n.func  (.param .b32 func_retval0) format\n(\n\t.param .b64 format_param_0\n)\n;\n";

    /// A kernel that hands the address of `format` to `check`, which never calls it; `format` calls `helper`.
    fn sample(check_body: &str) -> String {
        format!(
            "{HEAD}.visible .entry k(\n\t.param .u64 k_param_0\n)\n{{\n\t.reg .b64 \t%rd<2>;\n\tmov.b64 \t%rd1, format;\n\
             \t{{ // callseq 0, 0\n\t.param .b64 \tparam0;\n\tst.param.b64 \t[param0], %rd1;\n\
             \tcall.uni check, (param0);\n\t}} // callseq 0\n\tret;\n\n}}\n\
             .func  (.param .b32 func_retval0) format(\n\t.param .b64 format_param_0\n)\n{{\n\
             \tcall.uni (retval0), helper, (param0);\n\tcall (retval0), %rd5, (param0), prototype_3;\n\tret;\n\n}}\n\
             .func helper(\n)\n{{\n\tadd.s32 \t%r1, %r2, 7;\n\tret;\n}}\n\
             .func check(\n\t.param .b64 check_param_0\n)\n{{\n{check_body}\tret;\n}}\n"
        )
    }

    #[test]
    fn what_only_a_pointer_reaches_is_emptied() {
        let trimmed = unreachable_functions(sample("\tmov.u32 \t%r1, 1;\n"));
        assert!(!trimmed.contains("prototype_3") && !trimmed.contains("add.s32"), "{trimmed}");
        assert_eq!(trimmed.matches("\ttrap;\n\tret;\n}").count(), 2, "{trimmed}");
        assert!(trimmed.contains("mov.b64 \t%rd1, format;"), "the address still names a function");
        assert!(trimmed.contains("mov.u32 \t%r1, 1;"), "what is called by name stays");
        assert!(trimmed.starts_with(HEAD), "declarations stay");
    }

    #[test]
    fn a_call_through_a_pointer_keeps_everything() {
        for call in [
            "\tcall (retval0), %rd1, (param0), prototype_0;\n",
            "\tcall.uni \t%rd1, (param0), prototype_0;\n",
        ] {
            let ptx = sample(call);
            assert_eq!(unreachable_functions(ptx.clone()), ptx);
        }
    }

    #[test]
    fn names_that_hold_the_word_are_calls_too() {
        let body = "{\n\t} // callseq 3\n\t@%p1 call.uni my_call, (param0);\n\tcall (r), recall.call, (p);\n";
        assert_eq!(calls(body), (vec!["my_call", "recall.call"], false));
    }

    #[test]
    fn calls_by_name_are_followed() {
        // Older compilers print a call on several lines.
        let ptx = sample("\tcall.uni \n\thelper, \n\t(\n\t);\n");
        let trimmed = unreachable_functions(ptx);
        assert!(trimmed.contains("add.s32"), "{trimmed}");
        assert!(!trimmed.contains("prototype_3"), "{trimmed}");
    }
}
