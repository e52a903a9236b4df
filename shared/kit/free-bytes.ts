/**
 * Gives the memory of bytes that were used back at once, where the collector would leave it for up to 30 MB of them: for loops over large content.
 * The bytes must be held by nobody else. Those that are only a part of their buffer are left alone, because others may hold the rest.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
