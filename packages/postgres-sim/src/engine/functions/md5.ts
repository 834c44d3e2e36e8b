const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const constants = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))

/** The MD5 hash of RFC 1321, in hexadecimal. */
export function md5(bytes: Uint8Array): string {
  const blocks = Math.ceil((bytes.length + 9) / 64)
  const padded = new DataView(new ArrayBuffer(blocks * 64))
  bytes.forEach((byte, i) => {
    padded.setUint8(i, byte)
  })
  padded.setUint8(bytes.length, 0x80)
  padded.setUint32(blocks * 64 - 8, bytes.length * 8, true)
  padded.setUint32(blocks * 64 - 4, Math.floor(bytes.length / 2 ** 29), true)
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
  for (let block = 0; block < blocks; block++) {
    let [a, b, c, d] = state as [number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const round = i >> 4
      const f =
        round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d)
      const word = [i, 5 * i + 1, 3 * i + 5, 7 * i][round]! % 16
      const sum = (a + f + constants[i]! + padded.getUint32(block * 64 + word * 4, true)) | 0
      const shift = shifts[round * 4 + (i % 4)]!
      ;[a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0]
    }
    ;[a, b, c, d].forEach((value, i) => {
      state[i] = (state[i]! + value) | 0
    })
  }
  const out = new DataView(new ArrayBuffer(16))
  state.forEach((value, i) => {
    out.setInt32(i * 4, value, true)
  })
  return Array.from({ length: 16 }, (_, i) => out.getUint8(i).toString(16).padStart(2, '0')).join('')
}
