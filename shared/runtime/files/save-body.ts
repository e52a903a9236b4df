import type { SaveBody } from '../../wire/index.ts'
import type { StoredFile } from '../ports/index.ts'
import { dispositionName, plainName } from './names.ts'
import type { FileWriter } from './writer.ts'

/** What the other side says about the content, before it comes. */
export type Announced = { name: string | undefined; mediaType: string | undefined; length: number | undefined }

const announced = ({ headers, length }: Parameters<SaveBody['open']>[0]): Announced => ({
  name: dispositionName(headers['content-disposition']),
  mediaType: headers['content-type'],
  length,
})

/** A body that becomes a file. `openFile`: called for each attempt that has one. */
export const savingInto = (openFile: (announcement: Announced) => Promise<FileWriter>) => {
  let opening: Promise<FileWriter> | undefined
  let file: StoredFile | undefined
  const save: SaveBody = {
    open(reply) {
      const writer = openFile(announced(reply))
      opening = writer
      // It is awaited with the first piece.
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
    /** The file, once the exchange is done. On a failure nothing is left of it. */
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

/** The last part of an address, as a file name. */
export const nameInAddress = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) : undefined

export const nameFor = (name: string | undefined, said: Announced, url?: string): string =>
  name ?? plainName(said.name ?? (url === undefined ? undefined : nameInAddress(url)))
