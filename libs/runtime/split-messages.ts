// Owns how nats.js puts a message together that comes in pieces: in one buffer of just its size. Its own grows to twice what
// is there and once more of what comes, filled with zeros first; pages come in pieces more often than not, and memory beside
// the heap is what the collector runs for (docs/performance.md). For the same reason the pieces of a connection are given back
// as soon as they are read, where those who hear its messages agree to it.
import { Parser } from 'nats/lib/nats-base-client/parser.js'
import { release } from '#memory/release'

/** What the parser does with a message that is not whole yet. */
type Gathering = Pick<NonNullable<Parser['msgBuf']>, 'length' | 'write' | 'writeByte' | 'bytes'>

const parse = Parser.prototype.parse
const readAtOnce = new WeakSet<Parser['dispatcher']>()

/** For every connection of this process from now on. */
export function gatherBySize(): void {
  Parser.prototype.parse = parseGathering
}

/**
 * For the connection behind `dispatcher`: whoever hears one of its messages is done with its bytes when he returns, or has
 * copied what he keeps.
 */
export function giveBackPieces(dispatcher: Parser['dispatcher']): void {
  readAtOnce.add(dispatcher)
}

function parseGathering(this: Parser, piece: Uint8Array): void {
  const before = this.msgBuf
  parse.call(this, piece)
  const begun = this.msgBuf
  if (begun !== undefined && begun !== before) {
    const begin = begun.bytes({ copy: false }) // The parser's own copy.
    this.msgBuf = gathering(this.ma.size, begin) as NonNullable<Parser['msgBuf']>
    release(begin)
  }
  if (readAtOnce.has(this.dispatcher)) release(piece)
}

function gathering(size: number, begin: Uint8Array): Gathering {
  const whole = Buffer.allocUnsafeSlow(size)
  let length = 0
  const write = (piece: Uint8Array) => {
    whole.set(piece, length)
    length += piece.length
    return piece.length
  }
  write(begin)
  return {
    get length() {
      return length
    },
    write,
    writeByte: (byte) => write(Uint8Array.of(byte)),
    bytes: () => whole.subarray(0, length),
  }
}
