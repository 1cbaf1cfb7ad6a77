#![no_main]

#[path = "../../tests/keys/exact.rs"]
mod exact;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    exact::exact_for_all_types(input);
});
