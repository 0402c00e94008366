//! Empties functions that no kernel can reach.
//!
//! A bounds check puts the address of `usize`'s `Display::fmt` into the arguments of its panic, and the panic handler
//! of the device never formats. LLVM cannot know that the address is not called. ptxas, for its part, gives a kernel
//! as many registers as the hungriest function whose address is taken needs: 50 instead of 32 for the formatting
//! of an integer, and so two thirds of the threads per multiprocessor. No image may hold a kernel that calls
//! through a pointer ([`CallGraph::through_pointers`]), so that functions which only pointers reach are never run.

use crate::calls::CallGraph;

/// Returns the PTX with a trap in place of the body of each function that no kernel can reach by calls by name.
pub(crate) fn unreachable_functions(ptx: &str) -> String {
    let graph = CallGraph::read(ptx);
    let reached = graph.reached(graph.functions.iter().filter(|function| function.root));
    let mut trimmed = String::with_capacity(ptx.len());
    let mut at = 0;
    for function in graph.functions.iter().filter(|function| !reached.contains(function.name)) {
        trimmed.push_str(&ptx[at..function.body.start]);
        trimmed.push_str("{\n\ttrap;\n\tret;\n");
        at = function.body.end;
    }
    trimmed.push_str(&ptx[at..]);
    trimmed
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
        let trimmed = unreachable_functions(&sample("\tmov.u32 \t%r1, 1;\n"));
        assert!(!trimmed.contains("prototype_3") && !trimmed.contains("add.s32"), "{trimmed}");
        assert_eq!(trimmed.matches("\ttrap;\n\tret;\n}").count(), 2, "{trimmed}");
        assert!(trimmed.contains("mov.b64 \t%rd1, format;"), "the address still names a function");
        assert!(trimmed.contains("mov.u32 \t%r1, 1;"), "what is called by name stays");
        assert!(trimmed.starts_with(HEAD), "declarations stay");
    }

    #[test]
    fn calls_by_name_are_followed() {
        // Older compilers print a call on several lines.
        let ptx = sample("\tcall.uni \n\thelper, \n\t(\n\t);\n");
        let trimmed = unreachable_functions(&ptx);
        assert!(trimmed.contains("add.s32"), "{trimmed}");
        assert!(!trimmed.contains("prototype_3"), "{trimmed}");
    }
}
