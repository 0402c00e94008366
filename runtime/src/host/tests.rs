//! The host side on the simulator, and on a stand-in for the driver that writes down its calls.

mod life;
mod order;
mod panics;
mod simulator;
