//! `Device::any()` with and without a GPU, and what `WARPWEFT_DEVICE` does to it. Each case is a process of its own.

use std::process::{Command, Output};

use warpweft::{Device, Error};

/// Runs the ignored test `ask` of this program with the variable set to `value`.
fn ask_with(value: Option<&str>) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "ask", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env_remove("WARPWEFT_DEVICE");
    if let Some(value) = value {
        command.env("WARPWEFT_DEVICE", value);
    }
    command.output().expect("a process")
}

#[test]
#[ignore = "runs in processes of its own"]
fn ask() {
    for _ in 0..2 {
        match Device::any() {
            Ok(device) => println!("answer: sim {}", device.is_sim()),
            Err(error) => println!("answer: {error}"),
        }
    }
}

fn answers(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text.lines().filter_map(|line| line.split("answer: ").nth(1)).map(str::to_owned).collect()
}

#[test]
fn the_simulator_can_be_asked_for_and_says_nothing() {
    let output = ask_with(Some("sim"));
    assert_eq!(answers(&output), ["sim true", "sim true"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("warpweft"));
}

#[test]
fn nonsense_is_an_error_that_names_the_choices() {
    for value in ["gpu", "cuda:", "cuda:-1", "cuda:one", "sim:0", "CUDA"] {
        let answers = answers(&ask_with(Some(value)));
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[0], format!("WARPWEFT_DEVICE is `{value}`; it may be `sim`, `cuda` or `cuda:N`"));
    }
}

#[test]
fn without_a_gpu_any_device_is_the_simulator_and_says_so_once() {
    let output = ask_with(None);
    let said = String::from_utf8_lossy(&output.stderr).matches("; running on the simulator\n").count();
    match Device::cuda(0) {
        Ok(_) => assert_eq!((answers(&output)[0].as_str(), said), ("sim false", 0)),
        Err(Error::BuiltForSimulator { ordinal: 0 }) => {
            assert_eq!((answers(&output)[0].as_str(), said), ("sim true", 0));
        }
        Err(error @ (Error::NoDriver { .. } | Error::NoDevice { .. })) => {
            if let Error::NoDriver { missing: Some(library), .. } = error {
                let line =
                    format!("warpweft: no NVIDIA driver found ({library}); running on the simulator\n");
                assert!(String::from_utf8_lossy(&output.stderr).contains(&line));
            }
            assert_eq!((answers(&output), said), (vec!["sim true".to_owned(); 2], 1));
            let asked = answers(&ask_with(Some("cuda:3")));
            assert!(
                asked[0].contains("no usable CUDA driver") || asked[0].contains("no CUDA device 3"),
                "{asked:?}"
            );
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_cuda_device_that_is_not_there_is_an_error_and_never_a_panic() {
    for ordinal in [0, 999, usize::MAX] {
        match Device::cuda(ordinal) {
            Ok(device) => assert!(!device.is_sim() && ordinal == 0),
            Err(Error::BuiltForSimulator { .. }) if cfg!(sim) => {}
            Err(error @ (Error::NoDriver { .. } | Error::NoDevice { .. })) => {
                assert!(error.to_string().contains("Device::sim()"), "{error}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}
