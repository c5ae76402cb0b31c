//! One request, from its bytes to what a handler sees and from what a handler says to bytes: its path
//! (`route`, `v2`) names who serves it (`serving`), its parameters and body are read (`params`, `body`,
//! `unpack`, `multipart`) into a `call`, and what comes back is a `reply`, packed where that pays
//! (`compress`). `service` is the way through all of them. Knows no handler's work, and no sockets.

pub(crate) mod between_members;
pub(crate) mod body;
pub(crate) mod call;
pub(crate) mod compress;
pub(crate) mod elsewhere;
pub(crate) mod multipart;
pub(crate) mod node_handler;
pub(crate) mod params;
pub(crate) mod reply;
pub(crate) mod route;
pub(crate) mod service;
pub(crate) mod serving;
pub(crate) mod unpack;
pub(crate) mod v2;
