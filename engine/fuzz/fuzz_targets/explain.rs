#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    engine::fuzzing::explanation(input);
});
