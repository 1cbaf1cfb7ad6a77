-- Turns a fresh Lua state into the one that scripts see: no way out, nothing left behind.
--
-- Vanilla Lua 5.1 has no read-only tables. So what scripts must not change stands behind a
-- stand-in: an empty table whose metatable reads from the real one and refuses writes. The few
-- functions that look past metatables are wrapped, so that they refuse too.
--
-- In a message, the place `sandbox:<line>:` means a wrapper called for a script. Whoever hands
-- the message on puts the script's own line there, or nothing (`describe` in machine.rs, `plain`
-- here).
--
-- Called once, with the libraries that are written in Rust and what else Rust lends.

local libraries, unwrap, describe, real_globals = ...

local READONLY = "Attempt to modify a readonly table"
local ESCAPE = 27
-- Lua 5.1 follows a pattern by recursion on the stack of C, which would end.
local PATTERN_BYTES_MAX = 2000

local globals = _G
local byte, char, find, gmatch, gsub, match, sub =
  string.byte, string.char, string.find, string.gmatch, string.gsub, string.match, string.sub
local concat, insert = table.concat, table.insert
local resume = coroutine.resume
local collectgarbage, error, getmetatable, load, loadstring = collectgarbage, error, getmetatable, load, loadstring
local pairs, pcall, rawget, rawset, select, setmetatable, tostring, type, xpcall =
  pairs, pcall, rawget, rawset, select, setmetatable, tostring, type, xpcall

-- From each stand-in to the real table.
local hidden = {}

local function refuse()
  error(READONLY, 2)
end

local function stand_in(for_table, stand)
  stand = stand or {}
  hidden[stand] = for_table
  return setmetatable(stand, { __index = for_table, __newindex = refuse, __metatable = false })
end

-- What a script sees of an error. `unwrap` raises again what no script may catch.
local function plain(value)
  if type(value) == "userdata" then
    value = unwrap(value)
  end
  if type(value) == "string" and sub(value, 1, 8) == "sandbox:" then
    value = gsub(value, "^sandbox:%d+: ", "", 1)
  end
  return value
end

local wrapped = {}

-- As in Redis, `pcall` answers the text of an error table and not the table.
local function after_pcall(succeeded, ...)
  if succeeded then
    return true, ...
  end
  local value = plain((...))
  if type(value) == "table" then
    local text = value.err
    if type(text) == "string" or type(text) == "number" then
      value = text
    end
  end
  return false, value
end

function wrapped.pcall(...)
  if select("#", ...) == 0 then
    -- In Redis the place of the result is called: it holds `true`.
    return false, "attempt to call a boolean value"
  end
  return after_pcall(pcall(...))
end

local function after(succeeded, ...)
  if succeeded then
    return true, ...
  end
  return false, plain((...))
end

function wrapped.xpcall(...)
  if select("#", ...) < 2 then
    -- Lua says what is missing.
    xpcall(...)
  end
  local call, handler = ...
  return after(xpcall(call, function(value)
    -- An error in here would lose the first one, so what may not be caught passes by.
    local is_catchable, seen = pcall(plain, value)
    if not is_catchable then
      return value
    end
    return handler(seen)
  end))
end

local function resumed(...)
  return after(resume(...))
end

-- Whether Lua takes it as the name of a text to compile.
local function is_name(name)
  return name == nil or type(name) == "string" or type(name) == "number"
end

-- Compiled code is no text: made by hand, it could leave the sandbox.
function wrapped.loadstring(text, name)
  if byte(text) == ESCAPE then
    local _, problem = loadstring(char(1) .. sub(text, 2), name or text)
    return nil, (gsub(problem or "", "char%(1%)", "char(27)", 1))
  end
  return loadstring(text, name)
end

function wrapped.load(...)
  local reader, name = ...
  if type(reader) ~= "function" or not is_name(name) then
    -- Lua says what is wrong.
    load(...)
  end
  local pieces = {}
  while true do
    local succeeded, piece = after(pcall(reader))
    if not succeeded then
      return nil, piece
    end
    if piece == nil or piece == "" then
      break
    end
    if type(piece) ~= "string" and type(piece) ~= "number" then
      return nil, "reader function must return a string"
    end
    insert(pieces, piece)
  end
  return wrapped.loadstring(concat(pieces), name or "=(load)")
end

-- What would last longer than the script has no effect.
function wrapped.collectgarbage(option, argument)
  if option == "stop" or option == "restart" or option == "setpause" or option == "setstepmul" then
    return 0
  end
  return collectgarbage(option or "collect", argument)
end

function wrapped.pairs(over)
  return pairs(hidden[over] or over)
end

function wrapped.rawget(from, key)
  return rawget(hidden[from] or from, key)
end

function wrapped.rawset(into, key, value)
  if hidden[into] then
    error(READONLY, 0)
  end
  return rawset(into, key, value)
end

function wrapped.setmetatable(of, metatable)
  if hidden[of] then
    error(READONLY, 0)
  end
  return setmetatable(of, metatable)
end

local metatable_of_globals = {}

function wrapped.getmetatable(of)
  if of == globals then
    return metatable_of_globals
  end
  local metatable = getmetatable(of)
  if metatable == false then
    return nil
  end
  return metatable
end

local function checked_insert(into, ...)
  if hidden[into] then
    error(READONLY, 0)
  end
  return insert(into, ...)
end

local function check_pattern(pattern)
  if type(pattern) == "string" and #pattern > PATTERN_BYTES_MAX then
    error("pattern too long", 3)
  end
end

function string.find(text, pattern, start, plain)
  if not plain then
    check_pattern(pattern)
  end
  return find(text, pattern, start, plain)
end

function string.match(text, pattern, start)
  check_pattern(pattern)
  return match(text, pattern, start)
end

function string.gmatch(text, pattern)
  check_pattern(pattern)
  return gmatch(text, pattern)
end
string.gfind = string.gmatch

function string.gsub(text, pattern, replacement, count_max)
  check_pattern(pattern)
  return gsub(text, pattern, replacement, count_max)
end

-- The names that a script finds, and nothing else.
local base = {
  "_VERSION", "assert", "error", "gcinfo", "ipairs", "next", "rawequal", "select", "tonumber",
  "tostring", "type", "unpack",
}
for _, name in pairs(base) do
  real_globals[name] = globals[name]
end
for name, wrapper in pairs(wrapped) do
  real_globals[name] = wrapper
end
table.insert = checked_insert
coroutine.resume = resumed
for _, name in pairs({ "coroutine", "math", "string", "table" }) do
  real_globals[name] = stand_in(globals[name])
end
for name, library in pairs(libraries) do
  real_globals[name] = stand_in(library)
end
real_globals._G = globals

-- Methods of texts are found without a stand-in on the way; the way itself is behind one.
local of_texts = getmetatable("")
of_texts.__index = string
of_texts.__metatable = stand_in({ __index = real_globals.string })

local function nonexistent(_, name)
  error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
end
setmetatable(real_globals, { __index = nonexistent })
stand_in({ __index = nonexistent }, metatable_of_globals)
for name in pairs(globals) do
  globals[name] = nil
end
stand_in(real_globals, globals)

-- For Rust: runs a script, its errors explained by `describe`; and compiles a text.
local function run(script)
  return xpcall(script, describe)
end

return run, wrapped.loadstring
