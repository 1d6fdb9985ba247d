// Owns how packets are written for the bus: CBOR, as Moleculer's own serializer writes it. A packet around a page is made in one
// buffer of just its size; the encoder's own grows to twice the page, and memory beside the heap is what the collector runs for
// (docs/performance.md).
import { Serializers } from '#contracts/moleculer'
import { release } from '#memory/release'

/** `success` is what makes it an answer: the one kind whose `data` has no other reader. */
type Packet = { data?: unknown; success?: boolean }

const PAGE_BYTES_MIN = 8_192
const EMPTY = Buffer.alloc(0)
const EMPTY_BYTES = 0x40 // A byte string of no length, in one byte.
const BYTES_UINT32 = 0x5a // A byte string whose length follows in four.
const LENGTH_BYTES = 4

export class PacketSerializer extends Serializers.CBOR {
  /** Bytes in a packet that came are copied out of it, as the transporter gives back what it came in. */
  constructor() {
    super({ copyBuffers: true })
  }

  /** The bytes of a packet. Its `data`, where it is many bytes, is copied once and then given back: an answer belongs to the bus. */
  override serialize(packet: Packet): Buffer {
    const { data, ...others } = packet
    if (packet.success === undefined || !Buffer.isBuffer(data) || data.length < PAGE_BYTES_MIN)
      return super.serialize(packet)
    const head = super.serialize({ ...others, data: EMPTY })
    if (head.at(-1) !== EMPTY_BYTES) return super.serialize(packet)
    const bytes = Buffer.allocUnsafeSlow(head.length + LENGTH_BYTES + data.length)
    bytes.set(head)
    bytes[head.length - 1] = BYTES_UINT32
    bytes.writeUInt32BE(data.length, head.length)
    bytes.set(data, head.length + LENGTH_BYTES)
    release(data)
    return bytes
  }
}
