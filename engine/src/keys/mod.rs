//! Order-preserving encodings: bytes that sort as the values do.
