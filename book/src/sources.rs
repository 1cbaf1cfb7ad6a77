//! The chapters as text: their includes, code blocks and widgets.
