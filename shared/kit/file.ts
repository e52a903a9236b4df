import * as z from 'zod'

/** A file in an input: the id of a stored file, or a name with at most 1 MB of content. */
export type FileRef = { file?: string | undefined; name?: string | undefined; base64?: string | undefined }

/** A file that a step stored; `file` is its id, as inputs take it. */
export type SavedFile = {
  file: string
  name: string
  mediaType: string
  size: number
  sha256: string
  expiresAt: string
}

/** A stored file, opened. `read` yields its content in chunks and may be called again. */
export type OpenFile = { name: string; mediaType: string; size: number; read(): AsyncIterable<Uint8Array> }

/** The text of a PDF. `readPages`: how many of its `pages` were read before the limits were reached. */
export type PdfText = { text: string; pages: number; readPages: number }

/** Rows of a file. `columns`: the column that each field is read from. `unused`: columns that no field is read from. */
export type FileRows = {
  /** The values by field, without empty cells: texts in a CSV file. */
  rows: Record<string, unknown>[]
  columns: { [field: string]: string }
  unused: string[]
}

const isWhole = ({ file, name, base64 }: FileRef) =>
  file === undefined ? name !== undefined && base64 !== undefined : name === undefined && base64 === undefined

/** An input field for a file. Send it as a part (`filePart`) of a multipart body, or open it with `ctx.file`. */
export const fileRef = (title: string, description: string) =>
  z
    .strictObject({
      file: z.string().min(1).max(64).optional().meta({ title: 'File', description: 'Id of a stored file.' }),
      name: z.string().min(1).max(200).optional().meta({ title: 'Name', description: 'With base64: file name.' }),
      base64: z
        .string()
        .max(1_400_000)
        .optional()
        .meta({ title: 'Content', description: 'Instead of file: at most 1 MB.' }),
    })
    .refine(isWhole, { error: 'Give "file", the id of a stored file, or "name" and "base64".' })
    .meta({ title, description })

/** A file of the input as a part of a multipart body: `{ file: filePart(input.file) }`. */
export const filePart = ({ file, name, base64 }: FileRef): { [name: string]: string } =>
  file === undefined ? { name: name ?? '', base64: base64 ?? '' } : { file }

/** An output field for a file that a step stored. */
export const savedFile = (description: string) =>
  z
    .object({
      file: z.string().meta({ description: 'Id of the file; other steps take it as { file }.' }),
      name: z.string(),
      mediaType: z.string(),
      size: z.int().meta({ description: 'In bytes.' }),
      sha256: z.string(),
      expiresAt: z.string(),
    })
    .meta({ description })
