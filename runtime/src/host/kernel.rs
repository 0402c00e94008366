//! What a kernel is to the host: names, and the image that holds its device code.

/// The device code of one cargo target: PTX text, or a cubin.
#[derive(Debug)]
pub struct Image {
    id: u64,
    data: &'static [u8],
}

impl Image {
    /// Describes an image. `id` is a hash of its content: images with equal ids are loaded once per context.
    pub const fn new(id: u64, data: &'static [u8]) -> Self {
        Self { id, data }
    }

    /// The hash of the content.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// PTX (with or without a final NUL) or cubin.
    pub const fn data(&self) -> &'static [u8] {
        self.data
    }
}

/// A kernel as its launcher knows it. Holds no state: what a context knows about the kernel lies in the context.
#[derive(Debug)]
pub struct Kernel {
    name: &'static str,
    module_path: &'static str,
    symbol: &'static str,
    image: Option<Image>,
    key: u64,
}

impl Kernel {
    /// Describes the kernel `name` of `module_path`, whose entry in `image` is `symbol`. Without an image it runs on
    /// the simulator only.
    pub const fn new(
        name: &'static str,
        module_path: &'static str,
        symbol: &'static str,
        image: Option<Image>,
    ) -> Self {
        let id = match &image {
            Some(image) => image.id,
            None => 0,
        };
        Self {
            name,
            module_path,
            symbol,
            image,
            key: fnv1a(fnv1a(FNV_OFFSET, &id.to_le_bytes()), symbol.as_bytes()),
        }
    }

    /// The function's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The path of the module that holds it.
    pub const fn module_path(&self) -> &'static str {
        self.module_path
    }

    /// The name of its entry in the image.
    pub const fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// The device code, unless this program was built without.
    pub const fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    /// A hash of image and symbol, computed while compiling, so that a launch hashes nothing.
    pub(crate) const fn key(&self) -> u64 {
        self.key
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash FNV-1a, which is simple enough for a constant expression.
const fn fnv1a(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}
