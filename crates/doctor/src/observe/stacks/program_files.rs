//! The files that a process runs: where each is mapped, its unwind tables, and the names of its functions.
//! In: the process's mappings and the files behind them; out: what `framehop` unwinds by, and names for
//! addresses. The files are anybody's, as are the lengths that stand in them: what is read is bounded before
//! it is read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::ops::Range;

use framehop::x86_64::UnwinderX86_64;
use framehop::{ExplicitModuleSectionInfo, Module, Unwinder as _};
use object::read::ReadCache;
use object::{Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _, SymbolKind};
use rustix::fs::{CWD, FileType, Mode, OFlags};

use crate::observe::proc_dir::{ProcDir, printable};

/// Of a process, its files and their sizes together: the tables of a file may claim to be as long as it is,
/// and a file of holes is as long as anybody likes. A build for debugging is below one gigabyte.
const FILES_MAX: usize = 256;
const BYTES_MAX: u64 = 3 << 30;
const NAME_CHARS_MAX: usize = 200;

pub struct ProgramFiles(Vec<ProgramFile>);

struct ProgramFile {
    name: String,
    /// Where its code is mapped.
    mapped: Range<u64>,
    /// To be added to the file's addresses.
    bias: u64,
    content: ReadCache<File>,
}

/// A line of `maps`: the part of a file that is mapped there.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    range: Range<u64>,
    offset: u64,
    inode: u64,
    runs: bool,
    path: String,
}

impl ProgramFiles {
    /// Errors: where its mappings may not be seen.
    pub fn of(process: &ProcDir) -> io::Result<Self> {
        let maps = String::from_utf8_lossy(&process.bytes_patiently("maps")?).into_owned();
        let mut by_inode: BTreeMap<(u64, String), Vec<Mapping>> = BTreeMap::new();
        for mapping in maps.lines().filter_map(parse) {
            by_inode.entry((mapping.inode, mapping.path.clone())).or_default().push(mapping);
        }
        let runs = by_inode.into_values().filter(|mappings| mappings.iter().any(|mapping| mapping.runs));
        let mut left = BYTES_MAX;
        let open = |mappings: Vec<Mapping>| ProgramFile::open(process, &mappings, &mut left);
        Ok(Self(runs.take(FILES_MAX).filter_map(open).collect()))
    }

    pub fn unwinder(&mut self) -> UnwinderX86_64<Vec<u8>> {
        let mut unwinder = UnwinderX86_64::new();
        self.0.iter().filter_map(ProgramFile::module).for_each(|module| unwinder.add_module(module));
        unwinder
    }

    pub fn is_code(&self, address: u64) -> bool {
        self.0.iter().any(|file| file.mapped.contains(&address))
    }

    /// The function that each address lies in; else the file.
    pub fn names(&self, addresses: &BTreeSet<u64>) -> BTreeMap<u64, String> {
        let mut names = BTreeMap::new();
        for file in &self.0 {
            let within: Vec<u64> = addresses.range(file.mapped.clone()).copied().collect();
            let unnamed = within.iter().map(|address| (*address, format!("? in {}", file.name)));
            names.extend(unnamed);
            file.add_names(&within, &mut names);
        }
        names
    }
}

impl ProgramFile {
    fn open(process: &ProcDir, mappings: &[Mapping], left: &mut u64) -> Option<Self> {
        let first = mappings.iter().min_by_key(|mapping| mapping.range.start)?;
        let code = mappings.iter().filter(|mapping| mapping.runs);
        let mapped = code.clone().map(|mapping| mapping.range.start).min()?
            ..code.map(|mapping| mapping.range.end).max()?;
        let file = open_mapped(process, first)?;
        *left = left.checked_sub(file.metadata().ok()?.len())?;
        let content = ReadCache::new(file);
        let file = object::File::parse(&content).ok()?;
        // Of the segment that the first mapping shows.
        let base = file.segments().find(|segment| {
            let (offset, size) = segment.file_range();
            (offset..offset.saturating_add(size).max(offset + 1)).contains(&first.offset)
        })?;
        let address = base.address().checked_add(first.offset.checked_sub(base.file_range().0)?)?;
        let bias = first.range.start.wrapping_sub(address);
        drop(file);
        let name = first.path.rsplit('/').next().unwrap_or_default().to_owned();
        Some(Self { name, mapped, bias, content })
    }

    fn module(&self) -> Option<Module<Vec<u8>>> {
        let file = object::File::parse(&self.content).ok()?;
        let section = |name: &str| {
            let section = file.section_by_name(name)?;
            let range = section.address()..section.address().checked_add(section.size())?;
            Some((range, section.data().ok()?.to_vec()))
        };
        let (eh_frame_svma, eh_frame) = section(".eh_frame").unzip();
        let (eh_frame_hdr_svma, eh_frame_hdr) = section(".eh_frame_hdr").unzip();
        let text_svma = file.section_by_name(".text");
        let text_svma =
            text_svma.and_then(|text| Some(text.address()..text.address().checked_add(text.size())?));
        let info = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma,
            eh_frame_svma,
            eh_frame,
            eh_frame_hdr_svma,
            eh_frame_hdr,
            ..ExplicitModuleSectionInfo::default()
        };
        Some(Module::new(self.name.clone(), self.mapped.clone(), self.bias, info))
    }

    /// One walk over the symbols, however many addresses there are.
    fn add_names(&self, addresses: &[u64], names: &mut BTreeMap<u64, String>) {
        let Some(file) = (!addresses.is_empty()).then(|| object::File::parse(&self.content).ok()).flatten()
        else {
            return;
        };
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            if symbol.kind() != SymbolKind::Text || symbol.size() == 0 {
                continue;
            }
            let start = symbol.address().wrapping_add(self.bias);
            let Some(end) = start.checked_add(symbol.size()) else { continue };
            let from = addresses.partition_point(|address| *address < start);
            for address in addresses.iter().skip(from).take_while(|address| **address < end) {
                if let Ok(name) = symbol.name_bytes() {
                    names.insert(*address, function_name(name));
                }
            }
        }
    }
}

/// As its source has it: without the hash that the compiler adds.
fn function_name(symbol: &[u8]) -> String {
    let symbol = String::from_utf8_lossy(symbol);
    let name = format!("{:#}", rustc_demangle::demangle(&symbol));
    printable(name.as_bytes()).chars().take(NAME_CHARS_MAX).collect()
}

/// The very file that is mapped: a name alone may have become another's.
fn open_mapped(process: &ProcDir, mapping: &Mapping) -> Option<File> {
    let (start, end) = (mapping.range.start, mapping.range.end);
    // Without a wait where it is a pipe by now. The link to the mapping itself needs root.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let open = |path: String| rustix::fs::openat(CWD, path, flags, Mode::empty()).ok();
    let pid = process.pid;
    let file = open(format!("/proc/{pid}/map_files/{start:x}-{end:x}"))
        .or_else(|| open(format!("/proc/{pid}/root{}", mapping.path)))?;
    let stat = rustix::fs::fstat(&file).ok()?;
    let is_it =
        stat.st_ino == mapping.inode && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    is_it.then(|| File::from(file))
}

/// `55d0c8a0-55d0c8b0 r-xp 00001000 fe:00 1234    /usr/bin/x`.
fn parse(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (range, access, offset, _, inode) =
        (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
    let (start, end) = range.split_once('-')?;
    let number = |hex: &str| u64::from_str_radix(hex, 16).ok();
    let path = line.get(line.find('/')?..)?.trim_end_matches(" (deleted)").to_owned();
    let (range, inode) = (number(start)?..number(end)?, inode.parse().ok()?);
    let runs = access.contains('x');
    (inode != 0 && range.start < range.end).then_some(Mapping {
        range,
        offset: number(offset)?,
        inode,
        runs,
        path,
    })
}

/// All that is read here, from one text.
pub fn parse_all(text: &str) {
    let _ = (text.lines().filter_map(parse).count(), function_name(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_of_files_are_read_and_others_are_not() {
        let line = "55d0c8a0-55d0c8b0 r-xp 00001000 fe:00 1234                    /usr/bin/a b (deleted)";
        let path = "/usr/bin/a b".to_owned();
        let range = 0x55d0_c8a0..0x55d0_c8b0;
        assert_eq!(parse(line), Some(Mapping { range, offset: 0x1000, inode: 1234, runs: true, path }));
        for line in
            ["", "7f-8f rw-p 0 00:00 0 [heap]", "x-y r-xp 0 00:00 7 /a", "9-1 r-xp 0 00:00 7 /a", "1-9 r"]
        {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(function_name(b"_ZN4core3ptr4read17h0123456789abcdefE"), "core::ptr::read");
        assert_eq!(function_name(b"futex_wait\x1b[2J"), "futex_wait\u{fffd}[2J");
    }
}
