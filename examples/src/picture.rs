//! Pictures in files.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;

use image::{ExtendedColorType, ImageEncoder, ImageReader};

use crate::{Error, Result};

/// The most pixels that a picture may have. Larger ones are refused before their pixels are decoded.
pub const MAX_PIXELS: u64 = 1 << 28;

/// Reads a PNG or JPEG as width, height and one `u32` per pixel, row by row: red in the lowest byte, then green,
/// blue, and alpha in the highest.
///
/// What counts is the file's content, not its name.
///
/// # Errors
/// [`Error::Open`], [`Error::Decode`] and [`Error::Size`].
pub fn read_rgba(path: &Path) -> Result<(u32, u32, Vec<u32>)> {
    let open = |source| Error::Open { path: path.to_owned(), source };
    let decode = |source| Error::Decode { path: path.to_owned(), source };
    let reader = || -> Result<_> {
        let file = BufReader::new(File::open(path).map_err(open)?);
        ImageReader::new(file).with_guessed_format().map_err(open)
    };
    let (width, height) = reader()?.into_dimensions().map_err(decode)?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MAX_PIXELS {
        return Err(Error::Size { path: path.to_owned(), width, height, limit: MAX_PIXELS });
    }
    let mut reader = reader()?;
    // The size is checked above; the decoder's own limit would refuse pictures that fit.
    reader.no_limits();
    let picture = reader.decode().map_err(decode)?.into_rgba8();
    let pixels = picture.pixels().map(|pixel| u32::from_le_bytes(pixel.0)).collect();
    Ok((width, height, pixels))
}

/// Makes the directory of results, if need be, and makes sure that files can be made in it: to be called before the
/// work whose results go there.
///
/// # Errors
/// [`Error::NotDirectory`] and [`Error::Directory`].
pub fn output_directory(dir: &Path) -> Result<()> {
    if dir.exists() && !dir.is_dir() {
        return Err(Error::NotDirectory { path: dir.to_owned() });
    }
    // The probe has no name where the system can do that, and is gone in any case when it is dropped.
    std::fs::create_dir_all(dir)
        .and_then(|()| tempfile::tempfile_in(dir))
        .map(drop)
        .map_err(|source| Error::Directory { path: dir.to_owned(), source })
}

/// Writes a picture as PNG. `bytes` holds its rows, one byte per pixel for grey, three for colour.
///
/// The file appears under its name only when it is complete; its directory is made if need be.
///
/// # Errors
/// [`Error::Write`]; then there is no new file, and an old one of this name is untouched.
pub fn write_png(path: &Path, width: u32, height: u32, bytes: &[u8]) -> Result<()> {
    try_write(path, width, height, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}

fn try_write(
    path: &Path,
    width: u32,
    height: u32,
    bytes: &[u8],
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let pixels = u64::from(width) * u64::from(height);
    let colour = match bytes.len() as u64 {
        len if len == pixels => ExtendedColorType::L8,
        len if len == 3 * pixels => ExtendedColorType::Rgb8,
        len => return Err(format!("{len} bytes are no picture of {width} x {height} pixels").into()),
    };
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(dir)?;
    // In the same directory, so that the rename cannot cross file systems.
    let file = tempfile::Builder::new().prefix(".unfinished-").suffix(".png").tempfile_in(dir)?;
    let mut writer = BufWriter::new(file);
    image::codecs::png::PngEncoder::new(&mut writer).write_image(bytes, width, height, colour)?;
    writer.flush()?;
    let file = writer.into_inner().map_err(|error| error.into_error())?;
    readable(file.as_file())?;
    file.persist(path)?;
    Ok(())
}

/// Gives a finished file the rights of an ordinary one; a temporary file is its owner's alone.
#[cfg(unix)]
fn readable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> tempfile::TempDir {
        tempfile::tempdir().expect("a directory")
    }

    #[test]
    fn a_written_picture_is_read_back() {
        let dir = directory();
        let path = dir.path().join("new/grey.png");
        write_png(&path, 3, 2, &[0, 50, 100, 150, 200, 255]).expect("written");
        let (width, height, pixels) = read_rgba(&path).expect("read");
        assert_eq!((width, height), (3, 2));
        assert_eq!(pixels[1].to_le_bytes(), [50, 50, 50, 255]);
        let colour: Vec<u8> = (0..18).collect();
        write_png(&path, 3, 2, &colour).expect("written over the old one");
        assert_eq!(read_rgba(&path).expect("read").2[5].to_le_bytes(), [15, 16, 17, 255]);
        let left: Vec<_> = std::fs::read_dir(dir.path().join("new")).expect("a directory").collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn what_is_no_picture_is_an_error_with_its_name() {
        let dir = directory();
        let path = dir.path().join("not a picture.png");
        assert!(matches!(read_rgba(&path), Err(Error::Open { .. })));
        assert!(matches!(read_rgba(dir.path()), Err(Error::Open { .. } | Error::Decode { .. })));
        for content in ["", "hello", "\u{89}PNG", "\u{ff}\u{d8}\u{ff}"] {
            std::fs::write(&path, content).expect("written");
            let error = read_rgba(&path).expect_err("no picture");
            assert!(matches!(error, Error::Decode { .. }), "{error:?}");
            assert!(error.to_string().contains("not a picture.png"), "{error}");
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    }

    #[test]
    fn a_picture_that_was_cut_off_is_an_error() {
        let dir = directory();
        let path = dir.path().join("cut.png");
        let noise: Vec<u8> = (0..64 * 64_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        write_png(&path, 64, 64, &noise).expect("written");
        let bytes = std::fs::read(&path).expect("read");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        assert!(matches!(read_rgba(&path), Err(Error::Decode { .. })));
    }

    #[test]
    fn a_directory_of_results_is_made_or_refused() {
        let dir = directory();
        let new = dir.path().join("new/results");
        output_directory(&new).expect("made");
        output_directory(&new).expect("there already");
        assert_eq!(std::fs::read_dir(&new).expect("a directory").count(), 0);
        let file = dir.path().join("text.png");
        std::fs::write(&file, "text").expect("written");
        let error = output_directory(&file).expect_err("a file");
        assert!(error.to_string().ends_with("text.png` is a file, not a directory"), "{error}");
        assert!(matches!(output_directory(&file.join("below")), Err(Error::Directory { .. })));
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = directory();
        let path = dir.path().join("out.png");
        assert!(matches!(write_png(&path, 3, 2, &[0; 5]), Err(Error::Write { .. })));
        let blocked = dir.path().join("file");
        std::fs::write(&blocked, "").expect("written");
        assert!(matches!(write_png(&blocked.join("out.png"), 1, 1, &[0]), Err(Error::Write { .. })));
        // A directory is in the way of the rename.
        let occupied = dir.path().join("occupied.png");
        std::fs::create_dir(&occupied).expect("a directory");
        assert!(matches!(write_png(&occupied, 1, 1, &[0]), Err(Error::Write { .. })));
        assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 2);
    }
}
