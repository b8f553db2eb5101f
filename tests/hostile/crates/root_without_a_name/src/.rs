pub fn read(address: *const u8) -> u8 {
    unsafe { *address }
}
