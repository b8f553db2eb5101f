//! Which tables can differ between two images of one schema, from the pages that differ: so the rows of the others need not be read.
//!
//! Invariant: a table that is left out has the same rows. A page that differs and belongs to no tree, such as one of a long value or of the free list, gives
//! no answer, and neither does an image that is unusual or damaged. The layout is that of <https://sqlite.org/fileformat2.html#b_tree_pages>.

use crate::image::Image;
use crate::limits::PAGE_BYTES;
use std::collections::{BTreeMap, BTreeSet};

/// The root page of a table or an index, and the table that it belongs to.
pub(crate) type Root = (u32, String);

/// The tables that have a page which differs. `None` if that cannot be said.
pub(crate) fn changed_tables<'a>(before: &Image, later: &Image, roots: &'a [Root]) -> Option<BTreeSet<&'a str>> {
    let owners = [owners(before, roots)?, owners(later, roots)?];
    let mut changed = BTreeSet::new();
    for page in before.changed_pages(later) {
        // SQLite counts from 1 on; the first page is that of the schema and of the counters.
        let number = u32::try_from(page).ok()?.checked_add(1)?;
        for (image, owners) in [before, later].into_iter().zip(&owners) {
            match owners.get(&number) {
                Some(owner) => changed.extend(*owner),
                None if page * PAGE_BYTES >= image.len() => {}
                None => return None,
            }
        }
    }
    Some(changed)
}

/// The owner of each page of each tree; none for the schema's own.
fn owners<'a>(image: &Image, roots: &'a [Root]) -> Option<BTreeMap<u32, Option<&'a str>>> {
    let mut header = [0; 18];
    image.read(0, &mut header);
    if usize::from(u16::from_be_bytes([header[16], header[17]])) != PAGE_BYTES {
        return None;
    }
    let mut owners = BTreeMap::new();
    let all = roots.iter().map(|(root, table)| (*root, Some(table.as_str())));
    for (root, table) in all.chain([(1, None)]) {
        let mut open = vec![root];
        while let Some(number) = open.pop() {
            // A page in two trees, or twice in one: the image is damaged.
            if owners.insert(number, table).is_some() {
                return None;
            }
            children(image, number, &mut open)?;
        }
    }
    Some(owners)
}

/// Adds the pages below a page of a tree. `None` if it is none.
fn children(image: &Image, number: u32, open: &mut Vec<u32>) -> Option<()> {
    let start = usize::try_from(number.checked_sub(1)?).ok()? * PAGE_BYTES;
    let header = start + if number == 1 { 100 } else { 0 };
    if start + PAGE_BYTES > image.len() {
        return None;
    }
    let mut fields = [0; 12];
    image.read(header, &mut fields);
    match fields[0] {
        0x0a | 0x0d => return Some(()),
        0x02 | 0x05 => {}
        _ => return None,
    }
    open.push(u32::from_be_bytes([fields[8], fields[9], fields[10], fields[11]]));
    for cell in 0..usize::from(u16::from_be_bytes([fields[3], fields[4]])) {
        let (mut at, mut child) = ([0; 2], [0; 4]);
        image.read(header + 12 + 2 * cell, &mut at);
        image.read(start + usize::from(u16::from_be_bytes(at)), &mut child);
        open.push(u32::from_be_bytes(child));
    }
    Some(())
}
