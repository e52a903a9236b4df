/** Reads the text of a PDF in a thread of its own, which can be ended at any time. */
import { parentPort, workerData } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'
import type { PdfText } from '#kit'

export type PdfOrder = { bytes: Uint8Array; maxPages: number; maxCharacters: number }
/** `error`: the name of the library's error. */
export type ThreadAnswer = PdfText | { error: string }

/** Pages are separated by a blank line. */
const read = async ({ bytes, maxPages, maxCharacters }: PdfOrder): Promise<PdfText> => {
  const pdf = await getDocumentProxy(bytes, { useSystemFonts: false, verbosity: 0 })
  let text = ''
  let readPages = 0
  while (readPages < Math.min(pdf.numPages, maxPages) && text.length < maxCharacters) {
    const page = await pdf.getPage(readPages + 1)
    const { items } = await page.getTextContent()
    page.cleanup()
    const words = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    text += `${text === '' ? '' : '\n\n'}${words.trim()}`
    readPages += 1
  }
  return { text: text.slice(0, maxCharacters), pages: pdf.numPages, readPages }
}

const answer = await read(workerData as PdfOrder).catch((thrown: Error): ThreadAnswer => ({ error: thrown.name }))
parentPort?.postMessage(answer)
