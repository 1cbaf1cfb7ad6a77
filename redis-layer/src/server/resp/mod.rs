//! RESP, the wire protocol of Redis: requests in, replies out.
//!
//! ```text
//! request   *<count>\r\n  then count times  $<length>\r\n<bytes>\r\n
//! inline    words separated by spaces, quotes as in a shell, to the end of the line
//! reply     one of   +status  -error  :integer  $bulk  *array
//!           RESP3    _null  #boolean  ,double  (big number  =text  %map  ~set  |attributes  >push
//! ```

mod encode;
mod parser;
mod read_buffer;

pub use encode::encode;
pub use parser::{Limits, Parser, ProtocolError};
