//! `unpack`, which returns the values of a table.
//!
//! That of Lua 5.1 counts the results in 32 bits. A range with more places, such as `-2` to `2^31 - 1`, makes it write
//! outside of its stack, and ends the process. This one is the same but for the count. It is written against Lua's
//! interface for C, because a function in Lua would show up between the script and an error, and a usual one in Rust
//! cannot return as many values.

#![expect(unsafe_code, reason = "Lua's interface for C is made of pointers")]

use std::ffi::c_int;

use mlua::ffi::{
    LUA_TTABLE, lua_checkstack, lua_isnoneornil, lua_objlen, lua_rawgeti_, luaL_checkinteger,
    luaL_checktype, luaL_error, luaL_optinteger,
};
use mlua::{Lua, Table, lua_State};

/// Replaces the function of `globals`.
pub(super) fn install(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    // SAFETY: it takes its arguments from the stack and leaves as many results there as it returns.
    globals.raw_set("unpack", unsafe { lua.create_c_function(unpack)? })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "as C converts numbers and lengths to an int"
)]
unsafe extern "C-unwind" fn unpack(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state. An error leaves the function without running anything behind the call
    // that raises it, and there is nothing here to be dropped. Results are pushed only if there is room for all.
    unsafe {
        luaL_checktype(state, 1, LUA_TTABLE);
        let first = luaL_optinteger(state, 2, 1) as c_int;
        let last = match lua_isnoneornil(state, 3) {
            0 => luaL_checkinteger(state, 3) as c_int,
            _ => lua_objlen(state, 1) as c_int,
        };
        if first > last {
            return 0;
        }
        let count = c_int::try_from(i64::from(last) - i64::from(first) + 1);
        let count = count.unwrap_or(c_int::MAX);
        if lua_checkstack(state, count) == 0 {
            return luaL_error(state, c"too many results to unpack".as_ptr());
        }
        for at in first..=last {
            lua_rawgeti_(state, 1, at);
        }
        count
    }
}
