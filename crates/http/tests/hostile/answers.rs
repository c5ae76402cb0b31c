//! What comes back, taken apart as strictly as a client would, and what is wrong with it.

/// The statuses of the answers to what was sent, in order. Errors: bytes that are no answers.
pub fn statuses(sent: &[u8], bytes: &[u8]) -> Result<Vec<u16>, String> {
    let head_only = has(sent, b"HEAD ");
    let (mut rest, mut statuses) = (bytes, Vec::new());
    while !rest.is_empty() {
        let wrong = || format!("no answer: {}", rest[..rest.len().min(200)].escape_ascii());
        let end = rest.windows(4).position(|it| it == b"\r\n\r\n").ok_or_else(wrong)?;
        let head = std::str::from_utf8(&rest[..end]).map_err(|_| wrong())?;
        let mut lines = head.lines();
        let first = lines.next().filter(|line| line.starts_with("HTTP/1.")).ok_or_else(wrong)?;
        let status = first.split(' ').nth(1).and_then(|it| it.parse().ok()).ok_or_else(wrong)?;
        statuses.push(status);
        if status == 101 {
            // The rest is in another protocol.
            return Ok(statuses);
        }
        let mut fields = lines.filter_map(|line| line.split_once(": "));
        let length = fields.rfind(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = length.map_or(Ok(0), |(_, value)| value.parse::<usize>()).map_err(|_| wrong())?;
        rest = &rest[end + 4..];
        // Of an answer to HEAD only the head is sent, with the length that the rest would have.
        if !(head_only && (rest.is_empty() || rest.starts_with(b"HTTP/1."))) {
            rest = rest.get(length..).ok_or("the last answer is cut off")?;
        }
    }
    Ok(statuses)
}

pub fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|it| it == part)
}

/// Errors: a 5xx, silence after a whole head, bytes that are no answers.
pub fn judge(sent: &[u8], found: &[u8]) -> Result<(), String> {
    let other_protocol = sent.starts_with(b"PRI");
    if other_protocol {
        return Ok(());
    }
    let statuses = statuses(sent, found)?;
    if let Some(status) = statuses.iter().find(|status| **status >= 500) {
        let shown = found.windows(3).position(|it| it == b"msg").map_or(found, |at| &found[at..]);
        return Err(format!("{status}: {}", shown[..shown.len().min(400)].escape_ascii()));
    }
    let whole = has(sent, b"\r\n\r\n");
    if whole && statuses.is_empty() {
        return Err("there is no answer".to_owned());
    }
    Ok(())
}
