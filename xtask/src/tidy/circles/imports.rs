//! Which file of a crate names items of which other: read off the syntax, in `use` and wherever a path
//! stands. Names that a macro makes are not seen. In: the sources of a crate; out: arrows between its files,
//! followed through `pub use` to where an item is. What counts as a circle is `mod.rs`'s.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

/// An import: the first file names these of the second.
#[derive(Clone, Debug)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    pub names: BTreeSet<String>,
}

/// The path of a module or an item from the crate's root.
type ItemPath = Vec<String>;

/// A crate's files by the modules that they are.
pub struct Sources {
    modules: BTreeMap<ItemPath, Module>,
}

struct Module {
    file: String,
    /// Paths that its code names, made whole as far as its own place tells.
    named: BTreeSet<ItemPath>,
    /// Items that it hands on under a name of its own, with where they come from.
    hands_on: BTreeMap<String, ItemPath>,
    /// Modules of which it hands on everything.
    hands_on_all: Vec<ItemPath>,
    /// Items that it defines.
    defines: BTreeSet<String>,
}

impl Sources {
    /// Reads files, each as (path, text). Tests are left out.
    pub fn read(files: &[(String, String)]) -> Result<Self> {
        let mut modules = BTreeMap::new();
        let mut tests = Vec::new();
        for (file, text) in files {
            let path = module_path(file);
            let syntax = syn::parse_file(text).with_context(|| format!("cannot parse `{file}`"))?;
            let of_tests = children(&syntax).filter(|child| is_test(&child.attrs));
            tests.extend(of_tests.map(|child| [path.as_slice(), &[child.ident.to_string()]].concat()));
            modules.insert(path.clone(), Module::read(file, &path, &syntax));
        }
        modules.retain(|path, _| !tests.iter().any(|test: &ItemPath| path.starts_with(test)));
        Ok(Self { modules })
    }

    /// Every import of one file from another.
    pub fn arrows(&self) -> Vec<Arrow> {
        let mut arrows = BTreeMap::<(&str, &str), BTreeSet<String>>::new();
        for module in self.modules.values() {
            for path in &module.named {
                let Some((target, name)) = self.definer(path, 0) else { continue };
                if target.file != module.file {
                    arrows.entry((&module.file, &target.file)).or_default().insert(name);
                }
            }
        }
        let arrow =
            |((from, to), names): ((&str, &str), _)| Arrow { from: from.into(), to: to.into(), names };
        arrows.into_iter().map(arrow).collect()
    }

    /// The module that defines an item, and what it is called there.
    fn definer(&self, path: &[String], depth: usize) -> Option<(&Module, String)> {
        let (module, below) = (0..=path.len())
            .rev()
            .find_map(|cut| Some((self.modules.get(path.get(..cut)?)?, path.get(cut..)?)))?;
        // A path that ends at a module names nothing of it by itself: what is taken of it, is named where it
        // is used.
        let name = below.first()?;
        // Two modules may hand on each other's items.
        if depth > 8 || module.defines.contains(name) {
            return Some((module, name.clone()));
        }
        if let Some(source) = module.hands_on.get(name) {
            return self.definer(source, depth + 1);
        }
        let within = module.hands_on_all.iter().map(|source| [source.as_slice(), below].concat());
        let found =
            within.filter_map(|path| self.definer(&path, depth + 1)).find(|it| it.0.defines.contains(&it.1));
        Some(found.unwrap_or((module, name.clone())))
    }
}

/// `crates/x/src/a/mod.rs` and `crates/x/src/a.rs` are `a`.
fn module_path(file: &str) -> ItemPath {
    let below = file.rsplit_once("src/").map_or(file, |(_, below)| below).trim_end_matches(".rs");
    let mut path: ItemPath = below.split('/').map(str::to_owned).collect();
    let names_nothing = |last: &String| last == "mod" || path.len() == 1 && (last == "lib" || last == "main");
    if path.last().is_some_and(names_nothing) {
        path.pop();
    }
    path
}

impl Module {
    fn read(file: &str, path: &[String], syntax: &syn::File) -> Self {
        let module = Self {
            file: file.to_owned(),
            named: BTreeSet::new(),
            hands_on: BTreeMap::new(),
            hands_on_all: Vec::new(),
            defines: syntax.items.iter().filter_map(defined).collect(),
        };
        let children = children(syntax).map(|child| child.ident.to_string()).collect();
        let mut reader = PathReader { here: path.to_vec(), children, paths: Vec::new(), module };
        reader.visit_file(syntax);
        // Last, when it is known what each name in scope stands for.
        for words in std::mem::take(&mut reader.paths) {
            let named = reader.whole(&words).or_else(|| {
                let (first, rest) = words.split_first()?;
                Some([reader.module.hands_on.get(first)?.as_slice(), rest].concat())
            });
            reader.module.named.extend(named);
        }
        reader.module
    }
}

/// Modules in files of their own.
fn children(syntax: &syn::File) -> impl Iterator<Item = &syn::ItemMod> {
    syntax.items.iter().filter_map(|item| match item {
        Item::Mod(child) if child.content.is_none() => Some(child),
        _ => None,
    })
}

/// The name of an item that others may import.
fn defined(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

struct PathReader {
    here: ItemPath,
    children: BTreeSet<String>,
    /// As they stand in the code.
    paths: Vec<Vec<String>>,
    module: Module,
}

impl PathReader {
    /// A path of this crate from its root; `None` for one of another crate, or one that begins with a name in
    /// scope.
    fn whole(&self, words: &[String]) -> Option<ItemPath> {
        let (first, rest) = words.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([self.here.as_slice(), rest].concat()),
            "super" => {
                let ups = words.iter().take_while(|word| *word == "super").count();
                let parent = self.here.get(..self.here.len().checked_sub(ups)?)?;
                Some([parent, words.get(ups..)?].concat())
            }
            child if self.children.contains(child) => Some([self.here.as_slice(), words].concat()),
            _ => None,
        }
    }

    fn take_use(&mut self, tree: &UseTree, words: &mut Vec<String>, hands_on: bool) {
        let before = words.len();
        match tree {
            UseTree::Path(path) => {
                words.push(path.ident.to_string());
                self.take_use(&path.tree, words, hands_on);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.take_use(tree, words, hands_on));
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                if name != "self" {
                    words.push(name.clone());
                }
                self.take_import(words, &name, hands_on);
            }
            UseTree::Rename(rename) => {
                words.push(rename.ident.to_string());
                self.take_import(words, &rename.rename.to_string(), hands_on);
            }
            UseTree::Glob(_) => {
                if let Some(path) = self.whole(words) {
                    if hands_on {
                        self.module.hands_on_all.push(path);
                    } else {
                        self.module.named.insert([path, vec!["*".to_owned()]].concat());
                    }
                }
            }
        }
        words.truncate(before);
    }

    fn take_import(&mut self, words: &[String], name: &str, hands_on: bool) {
        let Some(path) = self.whole(words) else { return };
        // What is only handed on is no need of this file's: a face is tied to nothing by it.
        if hands_on {
            self.module.hands_on.insert(name.to_owned(), path);
        } else {
            self.module.hands_on.entry(name.to_owned()).or_insert_with(|| path.clone());
            self.module.named.insert(path);
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    let is_cfg_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|it| it == "test")
    };
    attributes.iter().any(|attribute| is_cfg_test(attribute) || attribute.path().is_ident("test"))
}

impl<'ast> Visit<'ast> for PathReader {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(it) => &it.attrs,
            Item::Fn(it) => &it.attrs,
            Item::Impl(it) => &it.attrs,
            Item::Use(it) => &it.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let hands_on = !matches!(item.vis, Visibility::Inherited);
        self.take_use(&item.tree, &mut Vec::new(), hands_on);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}
