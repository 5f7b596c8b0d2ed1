//! What a host backend needs of `torchlight/plugin.h`, written by hand; the header has the rules. Names are
//! the header's without `tl_` and `TL_`. What this backend never touches is a pointer to nothing in particular.
#![allow(dead_code)]

use core::ffi::c_void;
use core::mem::size_of;

pub const ABI_MAJOR: u16 = 1;
pub const ABI_MINOR: u16 = 0;
pub const MAX_RANK: usize = 8;

// Statuses.
pub const OK: i32 = 0;
pub const DECLINED: i32 = 1;
pub const E_ARGUMENT: i32 = -1;

#[repr(C)]
pub struct Error {
    pub size: u32,
    pub capacity: u32,
    pub text: *mut u8,
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
pub struct Dtype {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

pub const VIEW_ALIGNED: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    pub size: u32,
    pub flags: u32,
    pub dtype: Dtype,
    pub rank: u32,
    pub base: *mut u8,
    pub byte_offset: u64,
    pub block: *mut c_void,
    pub extent: [i64; MAX_RANK],
    pub stride: [i64; MAX_RANK],
}

/// Ids of functions, from `ops.def`.
pub mod map {
    pub const COPY: u32 = 1;
    pub const FILL: u32 = 2;
    pub const NEG: u32 = 10;
    pub const ABS: u32 = 11;
    pub const SQRT: u32 = 15;
    pub const EXP: u32 = 30;
    pub const LOG: u32 = 31;
    pub const TANH: u32 = 35;
    pub const SIGMOID: u32 = 36;
    pub const RELU: u32 = 37;
    pub const ADD_SCALAR: u32 = 50;
    pub const MUL_SCALAR: u32 = 52;
}
pub mod zip {
    pub const ADD: u32 = 1;
    pub const SUB: u32 = 2;
    pub const MUL: u32 = 3;
    pub const DIV: u32 = 4;
    pub const MAXIMUM: u32 = 6;
    pub const MINIMUM: u32 = 7;
}
pub mod reduce {
    pub const SUM: u32 = 1;
    pub const MAX: u32 = 3;
    pub const MIN: u32 = 4;
}

// Ids of primitives.
pub const MAP: u32 = 1;
pub const ZIP: u32 = 2;
pub const REDUCE: u32 = 3;
pub const MATMUL: u32 = 4;

#[repr(C)]
pub struct Args {
    pub size: u32,
    pub flags: u32,
    pub workspace: *const View,
}

#[repr(C)]
pub struct MapArgs {
    pub head: Args,
    pub function: u32,
    pub param_count: u32,
    pub input: *const View,
    pub output: *const View,
    pub params: [f64; 4],
}

#[repr(C)]
pub struct ZipArgs {
    pub head: Args,
    pub function: u32,
    pub input_count: u32,
    pub inputs: [*const View; 3],
    pub output: *const View,
    pub param_count: u32,
    pub reserved: u32,
    pub params: [f64; 4],
}

#[repr(C)]
pub struct ReduceArgs {
    pub head: Args,
    pub function: u32,
    pub axis_mask: u32,
    pub input: *const View,
    pub output: *const View,
}

#[repr(C)]
pub struct MatmulArgs {
    pub head: Args,
    pub a: *const View,
    pub b: *const View,
    pub output: *const View,
    pub alpha: f64,
    pub beta: f64,
    pub bias: *const View,
    pub activation: u32,
    pub reserved: u32,
}

pub const TRAIT_IN_PLACE: u32 = 1;
pub const TRAIT_REPEATABLE: u32 = 2;
pub const TRAIT_SLOW: u32 = 4;

#[repr(C)]
pub struct Support {
    pub size: u32,
    pub traits: u32,
    pub workspace_bytes: u64,
}

pub const SPACE_HOST: u32 = 0;

#[repr(C)]
pub struct DeviceInfo {
    pub size: u32,
    pub memory_space: u32,
    pub memory_bytes: u64,
    pub alignment: u32,
    pub reserved: u32,
    pub description: [u8; 128],
    pub instruction_set: [u8; 32],
}

pub type Device = c_void;
pub type Stream = c_void;
pub type Host = c_void;

/// A primitive; a function of the table that this backend leaves out.
pub type Primitive<A> = unsafe extern "C" fn(*mut Device, *mut Stream, *const A, *mut Error) -> i32;
pub type Absent = Option<unsafe extern "C" fn()>;

#[repr(C)]
pub struct Backend {
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub name: *const u8,
    pub version: *const u8,
    pub device_count: unsafe extern "C" fn(*mut u32, *mut Error) -> i32,
    pub device_info: unsafe extern "C" fn(u32, *mut DeviceInfo, *mut Error) -> i32,
    pub open: unsafe extern "C" fn(u32, *mut *mut Device, *mut Error) -> i32,
    pub close: unsafe extern "C" fn(*mut Device),
    pub shutdown: Absent,
    pub memory: [Absent; 3],  // allocate, release, copy
    pub streams: [Absent; 4], // open, close, poll, sync
    pub events: [Absent; 5],  // open, close, record, wait, poll
    pub supports: unsafe extern "C" fn(*mut Device, u32, *const Args, *mut Support, *mut Error) -> i32,
    pub extension: Absent,
    pub map: Primitive<MapArgs>,
    pub zip: Primitive<ZipArgs>,
    pub reduce: Primitive<ReduceArgs>,
    pub matmul: Primitive<MatmulArgs>,
    pub fused: [Absent; 4], // attn_softmax_fw, attn_softmax_bw, layernorm_fw, layernorm_bw
}
unsafe impl Sync for Backend {} // it only holds pointers to what never changes

pub const KIND_BACKEND: u16 = 1;
pub const SANITIZER_NONE: u32 = 0;

/// The identity note: the header of an ELF note, and its content.
#[repr(C)]
pub struct Note {
    pub owner_size: u32,
    pub content_size: u32,
    pub note_type: u32,
    pub owner: [u8; 12],
    pub magic: [u8; 8],
    pub abi_major: u16,
    pub abi_minor_built: u16,
    pub abi_minor_needed: u16,
    pub kind: u16,
    pub sanitizer: u32,
    pub reserved0: u32,
    pub cpu_needs: [u32; 2], // one 64-bit number in the header; a note is aligned to 4 bytes
    pub name: [u8; 32],
    pub version: [u8; 24],
    pub reserved1: [u8; 24],
}

/// Text in an array, zeros behind it; too long a text doesn't compile.
pub const fn text<const N: usize>(from: &str) -> [u8; N] {
    let mut array = [0; N];
    let mut i = 0;
    while i < from.len() {
        array[i] = from.as_bytes()[i];
        i += 1;
    }
    assert!(i < N);
    array
}

impl Note {
    pub const fn new(name: &str, version: &str) -> Note {
        Note {
            owner_size: 11,
            content_size: 112,
            note_type: 0x544c,
            owner: text("Torchlight"),
            magic: *b"TLPLUGIN",
            abi_major: ABI_MAJOR,
            abi_minor_built: ABI_MINOR,
            abi_minor_needed: 0,
            kind: KIND_BACKEND,
            sanitizer: SANITIZER_NONE,
            reserved0: 0,
            cpu_needs: [0; 2],
            name: text(name),
            version: text(version),
            reserved1: [0; 24],
        }
    }
}

// The sizes of minor 0, as plugin-api/abi_1.0.txt has them: a slip above doesn't compile.
const _: () = assert!(size_of::<View>() == 168 && size_of::<Args>() == 16);
const _: () = assert!(size_of::<MapArgs>() == 72 && size_of::<ZipArgs>() == 96);
const _: () = assert!(size_of::<ReduceArgs>() == 40 && size_of::<MatmulArgs>() == 72);
const _: () = assert!(size_of::<Support>() == 16 && size_of::<DeviceInfo>() == 184);
const _: () = assert!(size_of::<Backend>() == 240 && size_of::<Note>() == 136);
