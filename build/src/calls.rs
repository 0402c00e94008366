//! Who calls whom in a PTX file.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// One function with a body.
pub(crate) struct Function<'a> {
    pub name: &'a str,
    /// It is a kernel's entry.
    pub entry: bool,
    /// Visible from outside: an entry, or a function that LLVM may call by name.
    pub root: bool,
    /// From the line of `{` to the line of `}`, without the latter.
    pub body: Range<usize>,
    /// The functions it calls by name.
    calls: Vec<&'a str>,
    /// It calls through a pointer.
    indirect: bool,
}

/// The functions of a PTX file that have a body, and their calls by name.
pub(crate) struct CallGraph<'a> {
    pub functions: Vec<Function<'a>>,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> CallGraph<'a> {
    pub fn read(ptx: &'a str) -> Self {
        let functions = functions(ptx);
        let by_name = functions.iter().enumerate().map(|(at, function)| (function.name, at)).collect();
        CallGraph { functions, by_name }
    }

    /// The names of the functions that are reached by calls by name from some, these among them.
    pub fn reached<'s>(&'s self, from: impl Iterator<Item = &'s Function<'a>>) -> HashSet<&'a str> {
        let mut open: Vec<&'a str> = from.map(|function| function.name).collect();
        let mut reached = HashSet::new();
        while let Some(name) = open.pop() {
            if let Some(&at) = self.by_name.get(name).filter(|_| reached.insert(name)) {
                open.extend(&self.functions[at].calls);
            }
        }
        reached
    }

    /// The entries from which a call through a pointer is reached, each with the name of the function that makes it.
    ///
    /// No image may hold one: ptxas 13.0 compiles a loop over an array of functions to calls of an address that is never
    /// set (measured on an H200: the thread ends with an invalid program counter), from PTX that is right.
    pub fn through_pointers(&self) -> Vec<(&'a str, &'a str)> {
        let mut found = Vec::new();
        for entry in self.functions.iter().filter(|function| function.entry) {
            let reached = self.reached(std::iter::once(entry));
            let caller =
                self.functions.iter().find(|function| function.indirect && reached.contains(function.name));
            found.extend(caller.map(|caller| (entry.name, caller.name)));
        }
        found
    }
}

/// The functions of a PTX file as LLVM prints it: a head that starts a line, then a body between braces that stand
/// alone in their lines.
fn functions(ptx: &str) -> Vec<Function<'_>> {
    let mut functions = Vec::new();
    let mut head: Option<(&str, bool, bool)> = None;
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
                head = crate::ptx::name(after).map(|name| (name, entry, visible || entry));
            }
            // A declaration ends without a body.
            (None, ";") if start.is_none() => head = None,
            (None, "{") if start.is_none() => start = Some(here),
            (None, "}") => {
                if let (Some((name, entry, root)), Some(start)) = (head.take(), start.take()) {
                    let (calls, indirect) = calls(&ptx[start..here]);
                    functions.push(Function { name, entry, root, body: start..here, calls, indirect });
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

    #[test]
    fn names_that_hold_the_word_are_calls_too() {
        let body = "{\n\t} // callseq 3\n\t@%p1 call.uni my_call, (param0);\n\tcall (r), recall.call, (p);\n";
        assert_eq!(calls(body), (vec!["my_call", "recall.call"], false));
    }

    /// Two entries that call `helper`, one of them through `middle`; `apart` is reached by its address alone.
    fn sample(helper: &str, apart: &str) -> String {
        format!(
            ".visible .entry far(\n)\n{{\n\tcall.uni middle, (param0);\n\tret;\n}}\n\
             .visible .entry near(\n)\n{{\n\tmov.b64 \t%rd1, apart;\n\tcall.uni helper, (param0);\n\tret;\n}}\n\
             .visible .entry neither(\n)\n{{\n\tret;\n}}\n\
             .func middle(\n)\n{{\n\tcall.uni middle, (param0);\n\tcall.uni helper, (param0);\n\tret;\n}}\n\
             .func helper(\n)\n{{\n{helper}\tret;\n}}\n\
             .func apart(\n)\n{{\n{apart}\tret;\n}}\n"
        )
    }

    #[test]
    fn entries_that_reach_a_call_through_a_pointer_are_found() {
        for call in [
            "\tcall (retval0), %rd1, (param0), prototype_0;\n",
            "\t@%p1 call.uni \n\t%rd1, \n\t(\n\tparam0\n\t)\n\t, prototype_0;\n",
        ] {
            let ptx = sample(call, "");
            assert_eq!(CallGraph::read(&ptx).through_pointers(), [("far", "helper"), ("near", "helper")]);
            // Nobody calls `apart`.
            let ptx = sample("", call);
            assert_eq!(CallGraph::read(&ptx).through_pointers(), []);
        }
    }
}
