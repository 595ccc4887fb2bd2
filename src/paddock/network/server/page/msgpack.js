// The subset of MessagePack that Paddock's messages use: nil, booleans, numbers, texts, bytes, lists and maps.
// Integers are encoded as integers, all other numbers as float64; integers beyond 2**53 are decoded as BigInt.

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** Encode a value. */
export function encode(value) {
  const out = new Writer();
  out.value(value);
  return out.bytes.slice(0, out.length);
}

/** Decode a value; `bin` parts are views into the bytes. */
export function decode(bytes) {
  const source = new Reader(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
  const value = source.value();
  if (source.at !== source.bytes.length) throw new RangeError("msgpack: more bytes than one message");
  return value;
}

/** Decode an array field: little-endian float64 bytes, at any offset. */
export function numbers(bytes) {
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

class Writer {
  bytes = new Uint8Array(256);
  view = new DataView(this.bytes.buffer);
  length = 0;

  value(value) {
    if (value === null || value === undefined) this.byte(0xc0);
    else if (typeof value === "boolean") this.byte(value ? 0xc3 : 0xc2);
    else if (typeof value === "bigint") this.put(0xcf, 8, (at) => this.view.setBigUint64(at, value));
    else if (typeof value === "number") this.number(value);
    else if (typeof value === "string") this.text(value);
    else if (value instanceof Uint8Array) this.bin(value);
    else if (Array.isArray(value)) this.list(value);
    else this.map(value);
  }

  number(value) {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      this.put(0xcb, 8, (at) => this.view.setFloat64(at, value));
    } else if (value >= 0 && value < 128) this.byte(value);
    else if (value < 0 && value >= -32) this.byte(value & 0xff);
    else if (value >= 0 && value < 2 ** 32) this.put(0xce, 4, (at) => this.view.setUint32(at, value));
    else this.put(0xd3, 8, (at) => this.view.setBigInt64(at, BigInt(value)));
  }

  text(value) {
    const encoded = utf8.encode(value);
    if (encoded.length < 32) this.byte(0xa0 | encoded.length);
    else this.put(0xdb, 4, (at) => this.view.setUint32(at, encoded.length));
    this.raw(encoded);
  }

  bin(value) {
    this.put(0xc6, 4, (at) => this.view.setUint32(at, value.length));
    this.raw(value);
  }

  list(values) {
    this.put(0xdd, 4, (at) => this.view.setUint32(at, values.length));
    for (const entry of values) this.value(entry);
  }

  map(table) {
    const entries = Object.entries(table).filter(([, entry]) => entry !== undefined);
    this.put(0xdf, 4, (at) => this.view.setUint32(at, entries.length));
    for (const [key, entry] of entries) {
      this.text(key);
      this.value(entry);
    }
  }

  byte(value) {
    this.room(1);
    this.bytes[this.length++] = value;
  }

  put(tag, size, write) {
    this.byte(tag);
    this.room(size);
    write(this.length);
    this.length += size;
  }

  raw(bytes) {
    this.room(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  room(more) {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.length + more));
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}

class Reader {
  at = 0;

  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value() {
    const tag = this.view.getUint8(this.at++);
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.map(tag & 0x0f);
    if (tag < 0xa0) return this.list(tag & 0x0f);
    if (tag < 0xc0) return this.text(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x100;
    switch (tag) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return this.bin(this.size(1));
      case 0xc5: return this.bin(this.size(2));
      case 0xc6: return this.bin(this.size(4));
      case 0xca: return this.view.getFloat32(this.skip(4));
      case 0xcb: return this.view.getFloat64(this.skip(8));
      case 0xcc: return this.size(1);
      case 0xcd: return this.size(2);
      case 0xce: return this.size(4);
      case 0xcf: return toNumber(this.view.getBigUint64(this.skip(8)));
      case 0xd0: return this.view.getInt8(this.skip(1));
      case 0xd1: return this.view.getInt16(this.skip(2));
      case 0xd2: return this.view.getInt32(this.skip(4));
      case 0xd3: return toNumber(this.view.getBigInt64(this.skip(8)));
      case 0xd9: return this.text(this.size(1));
      case 0xda: return this.text(this.size(2));
      case 0xdb: return this.text(this.size(4));
      case 0xdc: return this.list(this.size(2));
      case 0xdd: return this.list(this.size(4));
      case 0xde: return this.map(this.size(2));
      case 0xdf: return this.map(this.size(4));
      default: throw new RangeError(`msgpack: unknown tag 0x${tag.toString(16)}`);
    }
  }

  size(width) {
    const at = this.skip(width);
    return width === 1 ? this.view.getUint8(at) : width === 2 ? this.view.getUint16(at) : this.view.getUint32(at);
  }

  skip(size) {
    const at = this.at;
    this.at += size;
    if (this.at > this.bytes.length) throw new RangeError("msgpack: the message is truncated");
    return at;
  }

  bin(size) {
    const at = this.skip(size);
    return this.bytes.subarray(at, at + size);
  }

  text(size) {
    return text.decode(this.bin(size));
  }

  list(size) {
    const values = [];
    for (let i = 0; i < size; i++) values.push(this.value());
    return values;
  }

  map(size) {
    const table = Object.create(null);
    for (let i = 0; i < size; i++) {
      const key = this.value();
      table[key] = this.value();
    }
    return table;
  }
}

function toNumber(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
