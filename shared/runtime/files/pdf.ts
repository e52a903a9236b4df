import { Worker } from 'node:worker_threads'
import { fail } from '#kit'
import type { PdfText } from '#kit'
import type { PdfOrder, ThreadAnswer } from './pdf-worker.ts'

/** How many threads read at a time. */
const atOnce = 2
const watchMs = 25
const usual = {
  maxPages: 200,
  maxCharacters: 500_000,
  maxMs: 20_000,
  /** Of the thread's heap, and of its buffers, each. */
  maxMegabytes: 256,
}

export type PdfAnswer = PdfText | { problem: string }
/** Returns the text, or why it cannot be read and what to do instead. @throws Failure `cancelled` */
export type PdfReader = (bytes: Uint8Array, signal?: AbortSignal) => Promise<PdfAnswer>

const tooLarge =
  'Reading the PDF takes too much time or memory; it may be damaged. Save it again from the program that made it, or split it.'
const problems: { [name: string]: string } = {
  PasswordException:
    'The PDF is encrypted: its text cannot be read without its password. Attach a copy without a password.',
}
const broken =
  'The PDF is damaged, or not a PDF at all. Open it in the program that made it, save it again and attach that copy.'

const noText =
  'The PDF contains no text, only pictures, as scanned documents do. Attach a copy with text, made with text recognition (OCR).'

/** The bundle has the code of the thread as a file beside this code, in JavaScript. */
const threadFile = new URL(import.meta.url.endsWith('.ts') ? './pdf-worker.ts' : './pdf-worker.js', import.meta.url)

/** Calls `stop` when the buffers of a thread grow beyond the limit: limits of a thread cover its heap alone. */
const watchMemory = (thread: Worker, maxBytes: number, stop: () => void) => {
  const look = async () => {
    // There are no figures before the thread runs, and after it has ended.
    const figures = await thread.getHeapStatistics().catch(() => undefined)
    if (figures && figures.external_memory > maxBytes) stop()
  }
  return setInterval(() => void look(), watchMs).unref()
}

const readInThread = (bytes: Uint8Array, limits: typeof usual, signal: AbortSignal | undefined): Promise<PdfAnswer> =>
  new Promise((resolve, reject) => {
    const { maxPages, maxCharacters, maxMs, maxMegabytes } = limits
    // Copied, because what is moved to the thread may be a part of a larger buffer.
    const order: PdfOrder = { bytes: Uint8Array.from(bytes), maxPages, maxCharacters }
    const thread = new Worker(threadFile, {
      workerData: order,
      transferList: [order.bytes.buffer as ArrayBuffer],
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
      // What the library prints about a file would reach the log.
      stdout: true,
      stderr: true,
      env: {},
      execArgv: [],
    })
    const end = (settle: () => void) => {
      clearTimeout(timeout)
      clearInterval(memory)
      signal?.removeEventListener('abort', cancel)
      settle()
      void thread.terminate()
    }
    const stop = () => end(() => resolve({ problem: tooLarge }))
    const cancel = () => end(() => reject(fail('cancelled', 'The caller cancelled the run.')))
    const timeout = setTimeout(stop, maxMs).unref()
    const memory = watchMemory(thread, maxMegabytes * 1024 * 1024, stop)
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted) cancel()
    thread.once('message', (answer: ThreadAnswer) =>
      end(() => resolve('error' in answer ? { problem: problems[answer.error] ?? broken } : answer)),
    )
    thread.once('error', (error: Error & { code?: string }) =>
      end(() => (error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ problem: tooLarge }) : reject(error))),
    )
    thread.once('exit', stop)
  })

/** Reads the texts of PDFs. `limits` replaces the usual ones. */
export const createPdfReader = (limits: Partial<typeof usual> = {}): PdfReader => {
  let running = 0
  const waiting: (() => void)[] = []
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
  return async (bytes, signal) => {
    const answer = await turn(() => readInThread(bytes, { ...usual, ...limits }, signal))
    return 'text' in answer && answer.text.trim() === '' ? { problem: noText } : answer
  }
}
