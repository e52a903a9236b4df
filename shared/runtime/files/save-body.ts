import type { Failure } from '#kit'
import type { SaveBody } from '../../wire/index.ts'
import type { StoredFile } from '../ports/index.ts'
import { dispositionName, plainName } from './names.ts'
import type { FileWriter } from './writer.ts'

/** What the other side announces about the content before sending it. */
export type Announced = { name: string | undefined; mediaType: string | undefined; length: number | undefined }

const announced = ({ headers, length }: Parameters<SaveBody['open']>[0]): Announced => ({
  name: dispositionName(headers['content-disposition']),
  mediaType: headers['content-type'],
  length,
})

/** Stores the body of a reply as a file. `openFile` is called for each attempt whose reply has a body. */
export const savingInto = (openFile: (announcement: Announced) => Promise<FileWriter>) => {
  let opening: Promise<FileWriter> | undefined
  let file: StoredFile | undefined
  const save: SaveBody = {
    open(reply) {
      const writer = openFile(announced(reply))
      opening = writer
      // A failure is reported by the first write.
      writer.catch(() => {})
      return {
        write: async (bytes) => (await writer).write(bytes),
        async end() {
          file = await (await writer).end()
        },
      }
    },
    async discard() {
      const present = opening
      opening = undefined
      file = undefined
      await (await present?.catch(() => undefined))?.abort()
    },
  }
  return {
    save,
    /** The file, once the exchange has ended. After a failure, nothing of it is stored. */
    async of<T>(work: Promise<T>): Promise<{ file: StoredFile | undefined; done: T }> {
      try {
        return { done: await work, file }
      } catch (error) {
        await save.discard()
        throw error
      }
    },
  }
}

/** Keeps the body of a reply in memory, up to `most` bytes. `tooLarge` makes the failure beyond. */
export const keepingBytes = (most: number, tooLarge: () => Failure) => {
  let parts: Buffer[] = []
  const save: SaveBody = {
    open() {
      parts = []
      let size = 0
      return {
        async write(bytes) {
          size += bytes.length
          if (size > most) throw tooLarge()
          // The connection uses its buffer again.
          parts.push(Buffer.from(bytes))
        },
        async end() {},
      }
    },
    async discard() {
      parts = []
    },
  }
  return { save, bytes: () => Buffer.concat(parts) }
}

/** The last segment of a URL's path, as a file name. */
export const nameInAddress = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) : undefined

export const nameFor = (name: string | undefined, said: Announced, url?: string): string =>
  name ?? plainName(said.name ?? (url === undefined ? undefined : nameInAddress(url)))
