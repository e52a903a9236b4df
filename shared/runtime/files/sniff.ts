/** Number of first bytes that are examined. */
export const sniffedBytes = 4096

/** First bytes of common formats, as Latin-1; `at`: their offset. */
const signatures: { type: string; starts: string; at?: number }[] = [
  { type: 'image/png', starts: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', starts: '\xff\xd8\xff' },
  { type: 'image/gif', starts: 'GIF87a' },
  { type: 'image/gif', starts: 'GIF89a' },
  { type: 'image/webp', starts: 'WEBP', at: 8 },
  { type: 'image/tiff', starts: 'II*\0' },
  { type: 'image/tiff', starts: 'MM\0*' },
  { type: 'image/bmp', starts: 'BM' },
  { type: 'application/pdf', starts: '%PDF-' },
  { type: 'application/zip', starts: 'PK\x03\x04' },
  { type: 'application/zip', starts: 'PK\x05\x06' },
  { type: 'application/gzip', starts: '\x1f\x8b' },
  { type: 'application/x-7z-compressed', starts: "7z\xbc\xaf'\x1c" },
  { type: 'application/x-ole-storage', starts: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
  { type: 'audio/mpeg', starts: 'ID3' },
  { type: 'audio/ogg', starts: 'OggS' },
  { type: 'audio/wav', starts: 'WAVE', at: 8 },
  { type: 'video/mp4', starts: 'ftyp', at: 4 },
  { type: 'video/webm', starts: '\x1a\x45\xdf\xa3' },
]
const knownTypes = new Set(signatures.map(({ type }) => type))
/** Formats on which others are built: the declared type says which of those it is. */
const containers: Record<string, RegExp> = {
  'application/zip': /^application\/(vnd\.[\w.+-]+|epub\+zip|java-archive|x-zip-compressed)$/,
  'application/x-ole-storage': /^application\/(msword|vnd\.ms-[\w.-]+)$/,
  'audio/ogg': /^(video|application)\/ogg$/,
  'video/mp4': /^(video|audio|image)\/(mp4|quicktime|x-m4a|3gpp|heic|heif|avif)$/,
  'video/webm': /^(audio\/webm|video\/x-matroska)$/,
}
const textual =
  /^(text\/[\w.+-]+|image\/svg\+xml|application\/([\w.+-]+\+)?(json|xml|yaml|x-ndjson|javascript|sql|rtf|toml))$/

const isText = (head: Uint8Array) => {
  if (head.includes(0)) return false
  // The first bytes may end in the middle of a character.
  const text = new TextDecoder().decode(head, { stream: true })
  return !text.includes('\ufffd')
}

const mediaType = /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/

/**
 * The media type of a file, from its first bytes. The declared type counts only where the bytes leave it open: for the
 * kind of text, for the format in a container, and for a binary format without a known signature.
 */
export const sniffType = (head: Uint8Array, declared?: string): string => {
  const [plain = ''] = (declared ?? '').toLowerCase().split(';')
  const said = mediaType.test(plain.trim()) ? plain.trim() : undefined
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  const sniffedType = signatures.find(({ starts, at = 0 }) => text.startsWith(starts, at))?.type
  if (sniffedType !== undefined) return said !== undefined && containers[sniffedType]?.test(said) ? said : sniffedType
  if (isText(head)) return said !== undefined && textual.test(said) ? said : 'text/plain'
  return said !== undefined && !knownTypes.has(said) && !textual.test(said) ? said : 'application/octet-stream'
}
