//! A Torchlight backend in Rust: float32 in host memory, plain loops, nothing but `core` and the C library.
//!
//!     rustc --edition 2021 --crate-type cdylib -C opt-level=3 -C panic=abort my_backend.rs -o my_backend.so
//!
//! It declines every other element type, and the core has cpu do those. As in every backend
//!
//! - `check_…` decides for `supports` and for the call alike, so they never disagree;
//! - views are taken as they come: any rank up to 8, any strides, 0 and negative ones among them;
//! - nothing unwinds into the caller: a panic ends the process.
#![no_std]

mod plugin;

use core::ffi::c_void;
use core::fmt::{Arguments, Write};
use core::mem::size_of;
use plugin::*;

// ---- what it is: gate 1, found in the file before any of its code runs --------------------------------

#[used]
#[link_section = ".note.torchlight"]
static NOTE: Note = Note::new("my_backend", "0.1.0");

// ---- saying no: DECLINED to what is not offered, E_ARGUMENT to what makes no sense ----------------------

/// A status that isn't OK; the caller's buffer has its text.
struct Refusal(i32);
type Checked<T = ()> = Result<T, Refusal>;

/// Where the caller wants an error's text: cut to fit, a zero behind it.
struct Text {
    next: *mut u8,
    room: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let bytes = text.len().min(self.room);
        unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), self.next, bytes) };
        self.next = self.next.wrapping_add(bytes);
        self.room -= bytes;
        Ok(())
    }
}

unsafe fn say(error: *mut Error, status: i32, what: Arguments<'_>) -> Refusal {
    if (*error).capacity > 0 {
        let mut text = Text { next: (*error).text, room: (*error).capacity as usize - 1 };
        let _ = text.write_fmt(what);
        *text.next = 0;
    }
    Refusal(status)
}

macro_rules! refuse {
    ($error:ident, $status:ident, $($what:tt)*) => {
        return Err(say($error, $status, format_args!($($what)*)))
    };
}

fn status_of(checked: Checked) -> i32 {
    checked.map_or_else(|refusal| refusal.0, |()| OK)
}

/// A struct that begins with its size. A caller from the future may say more than is known here, as long as
/// it is all zeros.
unsafe fn known<'a, T>(memory: *const T, error: *mut Error) -> Checked<&'a T> {
    if memory.is_null() {
        refuse!(error, E_ARGUMENT, "a view is missing");
    }
    let size = *memory.cast::<u32>() as usize;
    if size < size_of::<T>() {
        refuse!(error, E_ARGUMENT, "a struct of {} bytes is too short", size);
    }
    let bytes = core::slice::from_raw_parts(memory.cast::<u8>(), size);
    if bytes[size_of::<T>()..].iter().any(|&byte| byte != 0) {
        refuse!(error, DECLINED, "my_backend is older than this call");
    }
    Ok(&*memory)
}

/// The argument struct of a primitive, whose first member is an Args.
unsafe fn arguments<'a, T>(args: *const T, error: *mut Error) -> Checked<&'a T> {
    let flags = (*args.cast::<Args>()).flags;
    if flags != 0 {
        refuse!(error, DECLINED, "flags 0x{:x} are unknown", flags);
    }
    known(args, error)
}

const FLOAT32: Dtype = Dtype { code: 2, bits: 32, lanes: 1 };

unsafe fn view<'a>(view: *const View, error: *mut Error) -> Checked<&'a View> {
    let view = known(view, error)?;
    if view.flags & !VIEW_ALIGNED != 0 {
        refuse!(error, DECLINED, "view flags unknown");
    }
    if view.rank as usize > MAX_RANK {
        refuse!(error, E_ARGUMENT, "rank {} is above 8", view.rank);
    }
    if view.dtype != FLOAT32 {
        refuse!(error, DECLINED, "my_backend has float32 alone");
    }
    Ok(view)
}

unsafe fn check_extents(one: &View, other: &View, error: *mut Error) -> Checked {
    if one.extents() == other.extents() {
        return Ok(());
    }
    refuse!(error, E_ARGUMENT, "the extents of an input and the output differ")
}

// ---- elements of views --------------------------------------------------------------------------------

type Index = [i64; MAX_RANK];

impl View {
    fn extents(&self) -> &[i64] {
        &self.extent[..self.rank as usize]
    }

    /// A number, not yet an element: where there are no elements there may be no memory, either.
    fn at(&self, index: &Index) -> *mut f32 {
        let strides = &self.stride[..self.rank as usize];
        let elements: i64 = index.iter().zip(strides).map(|(i, stride)| i * stride).sum();
        let first = self.base.wrapping_add(self.byte_offset as usize).cast::<f32>();
        first.wrapping_offset(elements as isize)
    }

    unsafe fn get(&self, index: &Index) -> f32 {
        *self.at(index)
    }

    unsafe fn put(&self, index: &Index, x: f32) {
        *self.at(index) = x
    }

    /// All positions, in row-major order.
    fn positions(&self) -> Positions<'_> {
        let any = !self.extents().contains(&0);
        Positions { extents: self.extents(), next: if any { Some([0; MAX_RANK]) } else { None } }
    }
}

struct Positions<'a> {
    extents: &'a [i64],
    next: Option<Index>,
}

impl Iterator for Positions<'_> {
    type Item = Index;

    fn next(&mut self) -> Option<Index> {
        let here = self.next?;
        let mut after = here;
        let up = (0..self.extents.len()).rev().find(|&k| {
            after[k] += 1;
            if after[k] == self.extents[k] {
                after[k] = 0;
            }
            after[k] != 0
        });
        self.next = up.map(|_| after);
        Some(here)
    }
}

// ---- map ----------------------------------------------------------------------------------------------

// The C library's. What they round in float64 comes out right in float32.
#[link(name = "m")]
extern "C" {
    fn fabs(x: f64) -> f64;
    fn sqrt(x: f64) -> f64;
    fn exp(x: f64) -> f64;
    fn log(x: f64) -> f64;
    fn tanh(x: f64) -> f64;
}

/// A function of x and one parameter, and whether it has that parameter. None: not offered.
fn map_function(id: u32) -> Option<(fn(f64, f64) -> f64, bool)> {
    Some(match id {
        map::COPY => (|x, _| x, false),
        map::FILL => (|_, a| a, true),
        map::NEG => (|x, _| -x, false),
        map::ABS => (|x, _| unsafe { fabs(x) }, false),
        map::SQRT => (|x, _| unsafe { sqrt(x) }, false),
        map::EXP => (|x, _| unsafe { exp(x) }, false),
        map::LOG => (|x, _| unsafe { log(x) }, false),
        map::TANH => (|x, _| unsafe { tanh(x) }, false),
        map::SIGMOID => (|x, _| unsafe { 1.0 / (1.0 + exp(-x)) }, false),
        map::RELU => (|x, _| if x < 0.0 { 0.0 } else { x }, false), // keeps NaN
        map::ADD_SCALAR => (|x, a| x + a, true),
        map::MUL_SCALAR => (|x, a| x * a, true),
        _ => return None,
    })
}

struct MapCall<'a> {
    function: fn(f64, f64) -> f64,
    parameter: f64,
    input: Option<&'a View>,
    output: &'a View,
}

unsafe fn check_map<'a>(args: *const MapArgs, error: *mut Error) -> Checked<MapCall<'a>> {
    let args = arguments(args, error)?;
    let output = view(args.output, error)?;
    let (function, parameter) = match map_function(args.function) {
        Some(found) => found,
        None => refuse!(error, DECLINED, "no map function {}", args.function),
    };
    if args.param_count != parameter as u32 {
        refuse!(error, E_ARGUMENT, "wrong parameters");
    }
    let creates = args.function == map::FILL;
    if creates && !args.input.is_null() {
        refuse!(error, E_ARGUMENT, "fill has no input");
    }
    let input = if creates { None } else { Some(view(args.input, error)?) };
    if let Some(input) = input {
        check_extents(input, output, error)?;
    }
    // A parameter has the input's type.
    let parameter = if parameter { args.params[0] as f32 as f64 } else { 0.0 };
    Ok(MapCall { function, parameter, input, output })
}

unsafe fn run_map(call: MapCall) {
    for index in call.output.positions() {
        let x = call.input.map_or(0.0, |input| input.get(&index));
        call.output.put(&index, (call.function)(x as f64, call.parameter) as f32);
    }
}

// ---- zip ----------------------------------------------------------------------------------------------

fn larger(x: f32, y: f32) -> f32 {
    if x.is_nan() || x > y {
        x
    } else {
        y
    } // NaN if either is
}

fn smaller(x: f32, y: f32) -> f32 {
    if x.is_nan() || x < y {
        x
    } else {
        y
    }
}

fn zip_function(id: u32) -> Option<fn(f32, f32) -> f32> {
    Some(match id {
        zip::ADD => |x, y| x + y,
        zip::SUB => |x, y| x - y,
        zip::MUL => |x, y| x * y,
        zip::DIV => |x, y| x / y,
        zip::MAXIMUM => larger,
        zip::MINIMUM => smaller,
        _ => return None,
    })
}

struct ZipCall<'a> {
    function: fn(f32, f32) -> f32,
    inputs: [&'a View; 2],
    output: &'a View,
}

unsafe fn check_zip<'a>(args: *const ZipArgs, error: *mut Error) -> Checked<ZipCall<'a>> {
    let args = arguments(args, error)?;
    if args.reserved != 0 {
        refuse!(error, DECLINED, "my_backend is older than this call");
    }
    let output = view(args.output, error)?;
    let function = match zip_function(args.function) {
        Some(found) => found,
        None => refuse!(error, DECLINED, "no zip function {}", args.function),
    };
    if args.input_count != 2 || args.param_count != 0 {
        refuse!(error, E_ARGUMENT, "two inputs needed");
    }
    let inputs = [view(args.inputs[0], error)?, view(args.inputs[1], error)?];
    for input in inputs {
        check_extents(input, output, error)?;
    }
    Ok(ZipCall { function, inputs, output })
}

unsafe fn run_zip(call: ZipCall) {
    let [one, other] = call.inputs;
    for index in call.output.positions() {
        call.output.put(&index, (call.function)(one.get(&index), other.get(&index)));
    }
}

// ---- reduce -------------------------------------------------------------------------------------------

/// The input with extent 1 along the axes that are reduced, or along those that are not.
fn part_of(input: &View, mask: u32, reduced: bool) -> View {
    let mut part = *input;
    for k in 0..part.rank as usize {
        if (mask >> k & 1 == 1) == reduced {
            part.extent[k] = 1;
        }
    }
    part
}

struct ReduceCall<'a> {
    function: u32,
    mask: u32,
    input: &'a View,
    output: &'a View,
}

unsafe fn check_reduce<'a>(args: *const ReduceArgs, error: *mut Error) -> Checked<ReduceCall<'a>> {
    let args = arguments(args, error)?;
    let (output, input) = (view(args.output, error)?, view(args.input, error)?);
    let (function, mask) = (args.function, args.axis_mask);
    if ![reduce::SUM, reduce::MAX, reduce::MIN].contains(&function) {
        refuse!(error, DECLINED, "no reduction {}", function);
    }
    if mask >> input.rank != 0 {
        refuse!(error, E_ARGUMENT, "there is no such axis");
    }
    check_extents(&part_of(input, mask, true), output, error)?;
    Ok(ReduceCall { function, mask, input, output })
}

unsafe fn run_reduce(call: ReduceCall) {
    // What falls into one element of the output: a view like any other.
    let mut group = part_of(call.input, call.mask, false);
    for index in call.output.positions() {
        group.base = call.input.at(&index).cast();
        group.byte_offset = 0;
        let elements = group.positions().map(|at| group.get(&at));
        // The float64 sum of float32 numbers is good enough for any length that fits into memory.
        let result = match call.function {
            reduce::SUM => elements.map(|x| x as f64).sum::<f64>() as f32,
            reduce::MAX => elements.fold(f32::NEG_INFINITY, |best, x| larger(x, best)),
            _ => elements.fold(f32::INFINITY, |best, x| smaller(x, best)),
        };
        call.output.put(&index, result);
    }
}

// ---- matmul: (…, m, k) (…, k, n) → (…, m, n) ------------------------------------------------------------

struct MatmulCall<'a> {
    a: &'a View,
    b: &'a View,
    bias: Option<&'a View>,
    output: &'a View,
    alpha: f64,
    beta: f64,
}

unsafe fn check_matmul<'a>(args: *const MatmulArgs, error: *mut Error) -> Checked<MatmulCall<'a>> {
    let args = arguments(args, error)?;
    if args.activation != 0 || args.reserved != 0 {
        refuse!(error, DECLINED, "my_backend's matmul has no activation");
    }
    let (output, a, b) = (view(args.output, error)?, view(args.a, error)?, view(args.b, error)?);
    let bias = if args.bias.is_null() { None } else { Some(view(args.bias, error)?) };
    let rank = output.rank as usize;
    if rank < 2 || a.extents().len() != rank || b.extents().len() != rank {
        refuse!(error, E_ARGUMENT, "the ranks don't fit");
    }
    if a.extent[rank - 1] != b.extent[rank - 2] {
        refuse!(error, E_ARGUMENT, "k differs");
    }
    let (mut left, mut right) = (*a, *b); // with the output's extents where k stood
    left.extent[rank - 1] = output.extent[rank - 1];
    right.extent[rank - 2] = output.extent[rank - 2];
    check_extents(&left, output, error)?;
    check_extents(&right, output, error)?;
    if let Some(bias) = bias {
        check_extents(bias, output, error)?;
    }
    Ok(MatmulCall { a, b, bias, output, alpha: args.alpha, beta: args.beta })
}

unsafe fn run_matmul(call: MatmulCall) {
    let (row, column) = (call.output.rank as usize - 2, call.output.rank as usize - 1);
    for index in call.output.positions() {
        let (mut left, mut right) = (index, index);
        let mut sum = 0.0;
        for k in 0..call.a.extent[column] {
            left[column] = k;
            right[row] = k;
            sum += call.a.get(&left) as f64 * call.b.get(&right) as f64;
        }
        sum *= call.alpha;
        if call.beta != 0.0 {
            sum += call.beta * call.output.get(&index) as f64; // with 0 it may hold anything
        }
        sum += call.bias.map_or(0.0, |bias| bias.get(&index) as f64);
        call.output.put(&index, sum as f32);
    }
}

// ---- the functions of the table -----------------------------------------------------------------------

/// The primitives, as C calls them: check, then compute.
macro_rules! primitive {
    ($name:ident, $args:ty, $check:ident, $run:ident) => {
        unsafe extern "C" fn $name(
            _: *mut Device,
            _: *mut Stream,
            args: *const $args,
            error: *mut Error,
        ) -> i32 {
            status_of($check(args, error).map(|call| $run(call)))
        }
    };
}
primitive!(map_entry, MapArgs, check_map, run_map);
primitive!(zip_entry, ZipArgs, check_zip, run_zip);
primitive!(reduce_entry, ReduceArgs, check_reduce, run_reduce);
primitive!(matmul_entry, MatmulArgs, check_matmul, run_matmul);

unsafe fn check(primitive: u32, args: *const Args, error: *mut Error) -> Checked {
    match primitive {
        MAP => check_map(args.cast(), error).map(drop),
        ZIP => check_zip(args.cast(), error).map(drop),
        REDUCE => check_reduce(args.cast(), error).map(drop),
        MATMUL => check_matmul(args.cast(), error).map(drop),
        _ => refuse!(error, DECLINED, "no primitive {}", primitive),
    }
}

/// A caller of another age may have room for less or more than is known here; its size is its own.
unsafe fn answer<T>(theirs: *mut T, ours: T) {
    let room = (*theirs.cast::<u32>() as usize).min(size_of::<T>());
    let (from, to) = ((&ours as *const T).cast::<u8>(), theirs.cast::<u8>());
    if room > 4 {
        core::ptr::copy_nonoverlapping(from.add(4), to.add(4), room - 4);
    }
}

unsafe extern "C" fn supports(
    _: *mut Device,
    primitive: u32,
    args: *const Args,
    support: *mut Support,
    error: *mut Error,
) -> i32 {
    // An element is read before it is written.
    let in_place = if primitive <= ZIP { TRAIT_IN_PLACE } else { 0 };
    let traits = TRAIT_REPEATABLE | TRAIT_SLOW | in_place;
    let size = size_of::<Support>() as u32;
    status_of(
        check(primitive, args, error)
            .map(|()| answer(support, Support { size, traits, workspace_bytes: 0 })),
    )
}

unsafe extern "C" fn device_count(count: *mut u32, _: *mut Error) -> i32 {
    *count = 1; // 0 where the hardware is missing; that is no error
    OK
}

unsafe fn check_device(index: u32, error: *mut Error) -> Checked {
    if index == 0 {
        return Ok(());
    }
    refuse!(error, E_ARGUMENT, "my_backend has one device, no number {}", index)
}

unsafe extern "C" fn device_info(index: u32, info: *mut DeviceInfo, error: *mut Error) -> i32 {
    let ours = DeviceInfo {
        size: size_of::<DeviceInfo>() as u32,
        memory_space: SPACE_HOST,
        memory_bytes: 0,
        alignment: 0,
        reserved: 0,
        description: text("plain Rust loops"),
        instruction_set: text("none"),
    };
    status_of(check_device(index, error).map(|()| answer(info, ours)))
}

static THE_DEVICE: u8 = 0; // what a device of yours has to remember; here it is nothing

unsafe extern "C" fn open(index: u32, device: *mut *mut Device, error: *mut Error) -> i32 {
    let ours = &THE_DEVICE as *const u8 as *mut c_void;
    status_of(check_device(index, error).map(|()| *device = ours))
}

unsafe extern "C" fn close(_: *mut Device) {}

// ---- the table and the one exported function: gate 2 ----------------------------------------------------

static TABLE: Backend = Backend {
    size: size_of::<Backend>() as u32,
    abi_major: ABI_MAJOR,
    abi_minor: ABI_MINOR,
    name: b"my_backend\0".as_ptr(),
    version: b"0.1.0\0".as_ptr(),
    device_count,
    device_info,
    open,
    close,
    shutdown: None,
    memory: [None; 3], // the core owns the memory of host devices
    streams: [None; 4],
    events: [None; 5],
    supports,
    extension: None,
    map: map_entry,
    zip: zip_entry,
    reduce: reduce_entry,
    matmul: matmul_entry,
    fused: [None; 4],
};

#[no_mangle]
pub unsafe extern "C" fn torchlight_plugin_v1(
    _: *const Host,
    backend: *mut *const Backend,
    _: *mut Error,
) -> i32 {
    *backend = &TABLE;
    OK
}

// ---- what `core` leaves to whoever uses it ----------------------------------------------------------------

#[link(name = "c")]
extern "C" {
    fn abort() -> !;
}

// The precompiled `core` was made to unwind and names the function that would do it. Nothing here unwinds.
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:"
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { abort() }
}
