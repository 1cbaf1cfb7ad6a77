-- Turns a fresh Lua state into the one that scripts see: scripts cannot leave it, and cannot leave anything behind in
-- it.
--
-- Lua 5.1 has no read-only tables. So everything that scripts must not change is hidden behind a stand-in: an empty
-- table whose metatable reads from the real table and refuses writes. The few functions that bypass metatables are
-- wrapped, so that they refuse writes too.
--
-- In a message, the place `sandbox:<line>:` means that a wrapper made the call on behalf of a script. Whoever catches
-- the message replaces it by the line in the script while the stack is still there (`describe` in machine.rs, `located`
-- here), or removes it (`plain` here).
--
-- Called once, with the libraries that are written in Rust and other functions from Rust.

local libraries, tools, real_globals = ...
local unwrap, describe, made_coroutine, place_in_script, is_of_script =
  tools.unwrap, tools.describe, tools.made_coroutine, tools.place_in_script, tools.is_of_script

local READONLY = "Attempt to modify a readonly table"
local ESCAPE = 27
-- Lua 5.1 matches a pattern by recursion on C's stack, which a long pattern would exhaust.
local PATTERN_BYTES_MAX = 2000

local globals = _G
local byte, char, find, gmatch, gsub, match, sub =
  string.byte, string.char, string.find, string.gmatch, string.gsub, string.match, string.sub
local concat, insert = table.concat, table.insert
local create, resume, wrap = coroutine.create, coroutine.resume, coroutine.wrap
local collectgarbage, error, getmetatable, load, loadstring = collectgarbage, error, getmetatable, load, loadstring
local pairs, pcall, rawget, rawset, select, setmetatable, tostring, type, unpack, xpcall =
  pairs, pcall, rawget, rawset, select, setmetatable, tostring, type, unpack, xpcall

-- Maps each stand-in to the real table.
local hidden = {}

local function refuse()
  error(READONLY, 2)
end

local function stand_in(for_table, stand)
  stand = stand or {}
  hidden[stand] = for_table
  return setmetatable(stand, { __index = for_table, __newindex = refuse, __metatable = false })
end

-- An error as a script sees it. For an error that scripts must not catch, `unwrap` raises it again.
local function plain(value)
  if type(value) == "userdata" then
    value = unwrap(value)
  end
  if type(value) == "string" and sub(value, 1, 8) == "sandbox:" then
    value = gsub(value, "^sandbox:%d+: ", "", 1)
  end
  return value
end

-- The handler of errors that a script catches: a message about a call that a wrapper made names the line in the script.
local function located(value)
  if type(value) == "string" and sub(value, 1, 8) == "sandbox:" then
    return place_in_script() .. plain(value)
  end
  return value
end

local wrapped = {}

-- As in Redis, `pcall` returns the text of an error table, not the table.
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
    -- In Redis the value at the place of the result is called, which is `true`.
    return false, "attempt to call a boolean value"
  end
  local call = ...
  if not is_of_script(call) then
    -- It was not called from a line of the script.
    return after_pcall(pcall(...))
  end
  local count = select("#", ...)
  if count == 1 then
    return after_pcall(xpcall(call, located))
  end
  local arguments = { ... }
  return after_pcall(xpcall(function()
    return call(unpack(arguments, 2, count))
  end, located))
end

local function after(succeeded, ...)
  if succeeded then
    return true, ...
  end
  return false, plain((...))
end

function wrapped.xpcall(...)
  if select("#", ...) < 2 then
    -- Lua raises the error about the missing argument.
    xpcall(...)
  end
  local call, handler = ...
  return after(xpcall(call, function(value)
    value = located(value)
    -- An error in here would lose the first one, so an error that must not be caught is passed on.
    local is_catchable, seen = pcall(plain, value)
    if is_catchable then
      return handler(seen)
    end
    if type(seen) == "string" then
      -- Nothing can be called any more: the handler has failed, and was called for its own errors until here.
      error(seen, 0)
    end
    return value
  end))
end

local function resumed(...)
  return after(resume(...))
end

-- Time goes by in coroutines, too: the hook that looks at it counts the instructions of each alone.
function coroutine.create(...)
  made_coroutine()
  return create(...)
end

function coroutine.wrap(...)
  made_coroutine()
  return wrap(...)
end

-- Whether Lua accepts it as the name of a text to compile.
local function is_name(name)
  return name == nil or type(name) == "string" or type(name) == "number"
end

-- Compiled code is refused: code made by hand could leave the sandbox.
function wrapped.loadstring(text, name)
  if type(text) == "string" and byte(text) == ESCAPE then
    local _, problem = loadstring(char(1) .. sub(text, 2), name or text)
    return nil, (gsub(problem or "", "char%(1%)", "char(27)", 1))
  end
  return loadstring(text, name)
end

function wrapped.load(...)
  local reader, name = ...
  if type(reader) ~= "function" or not is_name(name) then
    -- Lua raises the error about the wrong argument.
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

-- Options whose effect would outlast the script are ignored.
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

-- The names that a script finds. There are no others.
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

-- Methods of strings are found directly in the real table; scripts that ask for the metatable get a stand-in.
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

-- For Rust: one function runs a script and has its errors explained by `describe`; the other compiles a text.
local function run(script)
  return xpcall(script, describe)
end

return run, wrapped.loadstring
