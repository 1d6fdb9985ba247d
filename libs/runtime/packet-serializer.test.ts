// Guarantees of packet-serializer.ts.
import { beforeAll, expect, test } from '@jest/globals'
import { Serializers, ServiceBroker } from '#contracts/moleculer'
import { PacketSerializer } from './packet-serializer.ts'

const own = new PacketSerializer()
const plain = new Serializers.CBOR()
const broker = new ServiceBroker({ logger: false })
beforeAll(() => {
  own.init(broker)
  plain.init(broker)
})

const packetWith = (data: unknown) => ({
  ver: '4',
  sender: 'orders-1',
  id: 'a-1',
  meta: { tries: 2 },
  data,
  success: true,
})
const bytesOf = (length: number) => Buffer.alloc(length, 'ä page of orders')

test.each([0, 1, 8_191, 8_192, 41_000, 65_535, 65_536, 900_000])(
  'a packet around %i bytes is read by the plain serializer as it was',
  (length) => {
    const read = plain.deserialize(own.serialize(packetWith(bytesOf(length)))) as { data: Uint8Array }
    expect(Buffer.from(read.data).equals(bytesOf(length))).toBe(true)
    expect({ ...read, data: null }).toEqual(packetWith(null))
  },
)

test('packets without bytes are what the plain serializer makes of them', () => {
  for (const data of [null, { id: 1 }, 'x'.repeat(20_000), [bytesOf(20_000).toString()]]) {
    expect(own.serialize(packetWith(data)).equals(plain.serialize(packetWith(data)))).toBe(true)
  }
})

test('the bytes of an answer are given back, a part of other bytes is left alone', () => {
  const [page, parked] = [Buffer.from(new ArrayBuffer(20_000)), Buffer.from(new ArrayBuffer(40_000))]
  own.serialize(packetWith(page))
  own.serialize(packetWith(parked.subarray(0, 20_000)))
  expect([page.buffer.detached, parked.buffer.detached]).toEqual([true, false])
})

test('the bytes of an event stay, since it may go to several', () => {
  const bytes = Buffer.from(new ArrayBuffer(20_000))
  const { success: _success, ...event } = packetWith(bytes)
  const sent = [own.serialize(event), own.serialize(event)]
  expect(bytes.buffer.detached).toBe(false)
  expect(sent.map((packet) => packet.equals(plain.serialize(event)))).toEqual([true, true])
})

test('bytes that came in a packet stay when the packet is given back, however few they are', () => {
  for (const length of [3, 1_300, 41_000]) {
    const packet = Buffer.from(plain.serialize(packetWith(bytesOf(length))))
    const { data } = own.deserialize(packet) as { data: Buffer }
    packet.fill(0)
    expect(Buffer.isBuffer(data) && data.equals(bytesOf(length))).toBe(true)
    expect(data.buffer.byteLength).toBe(length) // Of its own, so that it can be given back in turn.
  }
})
