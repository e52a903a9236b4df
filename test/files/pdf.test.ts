import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createPdfReader } from '../../shared/runtime/files/pdf.ts'
import { encryptedPdf, pdfOf, textStream } from '../support/pdf.ts'

/** The texts of PDFs, and limits that keep one from bringing down the server. */
const failureOf = (reading: Promise<unknown>) =>
  reading.then(
    () => undefined,
    (failure: { code?: string; message?: string }) => failure,
  )
/** A small file that grows a thousand times when it is decoded. */
const bomb = (megabytes: number) =>
  pdfOf([{ bytes: deflateSync(Buffer.alloc(megabytes * 1_000_000, ' ')), filter: '/FlateDecode' }])

it('the text of each page is read, also of pages that are compressed', async () => {
  const { bytes } = textStream('Second page')
  const pdf = pdfOf([textStream('Plan', 'Print'), { bytes: deflateSync(bytes), filter: '/FlateDecode' }])
  expect(await createPdfReader()(pdf)).toEqual({ text: 'Plan\nPrint\n\nSecond page', pages: 2, readPages: 2 })
})

it('no more pages and characters are read than the limits allow', async () => {
  const pdf = pdfOf(['one', 'two', 'three'].map((line) => textStream(line)))
  expect(await createPdfReader({ maxPages: 2 })(pdf)).toEqual({ text: 'one\n\ntwo', pages: 3, readPages: 2 })
  expect(await createPdfReader({ maxCharacters: 4 })(pdf)).toEqual({ text: 'one\n', pages: 3, readPages: 2 })
})

it.each([
  ['encrypted', encryptedPdf(), /is encrypted.*Attach a copy without a password/],
  ['cut off', pdfOf([textStream('Plan')]).subarray(0, 200), /is damaged.*save it again/],
  ['no PDF', Buffer.from('Plan'), /is damaged, or not a PDF at all/],
  ['only pictures', pdfOf([{ bytes: Buffer.from('q Q') }]), /no text, only pictures.*OCR/],
])('a PDF that is %s is refused with what to do', async (_, pdf, message) => {
  expect(await createPdfReader()(pdf)).toEqual({ problem: expect.stringMatching(message) as string })
})

it('a PDF that would fill the memory, or takes too long, is given up; the next one is read', async () => {
  const tooMuch = { problem: expect.stringContaining('too much time or memory') as string }
  const hour = 3_600_000
  expect(await createPdfReader({ maxMegabytes: 40, maxMs: hour })(bomb(120))).toEqual(tooMuch)
  expect(await createPdfReader({ maxMs: 1 })(pdfOf([textStream('Plan')]))).toEqual(tooMuch)
  expect(await createPdfReader({ maxMegabytes: 40 })(pdfOf([textStream('Plan')]))).toMatchObject({ text: 'Plan' })
})

it('when a caller leaves, its reading ends, and waiting ones get their turn', async () => {
  const read = createPdfReader()
  const pdf = pdfOf([textStream('Plan')])
  const leaving = new AbortController()
  const first = [read(pdf, leaving.signal), read(pdf, leaving.signal)].map(failureOf)
  const waiting = read(pdf)
  leaving.abort()
  expect(await Promise.all(first)).toMatchObject([{ code: 'cancelled' }, { code: 'cancelled' }])
  expect(await waiting).toMatchObject({ text: 'Plan' })
  expect(await failureOf(read(pdf, leaving.signal))).toMatchObject({ code: 'cancelled' })
})
