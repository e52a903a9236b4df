/**
 * Frees the memory of bytes that are no longer needed and that nobody else holds. In a loop over large content, the
 * garbage collector would let up to 30 MB of them accumulate first. Bytes that are only part of their buffer are left
 * alone, since others may hold the rest.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
