//! One keep-alive HTTP/1.1 connection, blocking, with as little work a request as possible: the generator shares the
//! machine with the server it measures. Reads bodies by length or in chunks.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use client::SolrUrl;

pub struct Connection {
    stream: BufReader<TcpStream>,
    line: String,
    body: Vec<u8>,
}

impl Connection {
    pub fn open(url: &SolrUrl) -> io::Result<Self> {
        let stream = TcpStream::connect(url.authority())?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { stream: BufReader::with_capacity(32 << 10, stream), line: String::new(), body: Vec::new() })
    }

    /// Sends `request` and reads the answer whole: its status and body.
    pub fn exchange(&mut self, request: &[u8]) -> io::Result<(u16, &[u8])> {
        self.stream.get_mut().write_all(request)?;
        let status = self.read_status()?;
        let mut length = None;
        let mut chunked = false;
        while let Some((name, value)) = self.read_header()? {
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse::<usize>().ok();
            }
            chunked |=
                name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked");
        }
        self.body.clear();
        if chunked {
            self.read_chunks()?;
        } else {
            self.read_exactly(length.unwrap_or(0))?;
        }
        Ok((status, &self.body))
    }

    fn read_status(&mut self) -> io::Result<u16> {
        self.read_line()?;
        let status = self.line.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.ok_or_else(|| invalid("no status line"))
    }

    fn read_header(&mut self) -> io::Result<Option<(String, String)>> {
        self.read_line()?;
        if self.line.is_empty() {
            return Ok(None);
        }
        let (name, value) = self.line.split_once(':').ok_or_else(|| invalid("a header without a colon"))?;
        Ok(Some((name.to_owned(), value.trim().to_owned())))
    }

    fn read_chunks(&mut self) -> io::Result<()> {
        loop {
            self.read_line()?;
            let size =
                usize::from_str_radix(self.line.trim(), 16).map_err(|_| invalid("a chunk without a size"))?;
            self.read_exactly(size)?;
            self.read_line()?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    fn read_exactly(&mut self, bytes: usize) -> io::Result<()> {
        let start = self.body.len();
        self.body.resize(start + bytes, 0);
        self.stream.read_exact(&mut self.body[start..])
    }

    /// One line, without its end.
    fn read_line(&mut self) -> io::Result<()> {
        self.line.clear();
        if self.stream.read_line(&mut self.line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.line.truncate(self.line.trim_end().len());
        Ok(())
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn bodies_come_by_length_and_in_chunks() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url: SolrUrl = listener.local_addr().unwrap().to_string().parse().unwrap();
        let server = thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut request = [0; 1];
            for answer in [
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
                "HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n",
            ] {
                peer.read_exact(&mut request).unwrap();
                peer.write_all(answer.as_bytes()).unwrap();
            }
        });
        let mut connection = Connection::open(&url).unwrap();
        assert_eq!(connection.exchange(b"x").unwrap(), (200, &b"hi"[..]));
        assert_eq!(connection.exchange(b"x").unwrap(), (400, &b"abcd"[..]));
        server.join().unwrap();
    }
}
