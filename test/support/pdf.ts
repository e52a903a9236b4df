/** PDFs as tests need them, made here: no file of others is stored. */

/** A content stream. `filter`: the names of its encodings, as PDF writes them. */
export type PdfStream = { bytes: Uint8Array; filter?: string }

/** A stream that shows these lines. */
export const textStream = (...lines: string[]): PdfStream => ({
  bytes: Buffer.from(`BT /F1 12 Tf 72 720 Td ${lines.map((line) => `(${line}) Tj 0 -14 Td`).join(' ')} ET`),
})

const join = (...parts: (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))

/** A PDF of one page for each stream. `trailer`: further entries of its trailer. */
export const pdfOf = (streams: PdfStream[], trailer = ''): Buffer => {
  const pages = streams.flatMap(({ bytes, filter }, index) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
    join(
      `<< /Length ${bytes.length}${filter === undefined ? '' : ` /Filter ${filter}`} >>\nstream\n`,
      bytes,
      '\nendstream',
    ),
  ])
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${streams.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')}] /Count ${streams.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages,
  ]
  let file = join('%PDF-1.4\n')
  const offsets: string[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(`${String(file.length).padStart(10, '0')} 00000 n \n`)
    file = join(file, `${index + 1} 0 obj\n`, object, '\nendobj\n')
  }
  const size = objects.length + 1
  return join(
    file,
    `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`,
    `trailer\n<< /Size ${size} /Root 1 0 R${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`,
  )
}

/** A PDF that no empty password opens. */
export const encryptedPdf = (): Buffer =>
  pdfOf(
    [textStream('secret')],
    ` /Encrypt << /Filter /Standard /V 1 /R 2 /O <${'00'.repeat(32)}> /U <${'11'.repeat(32)}> /P -4 >> /ID [<00> <00>]`,
  )
