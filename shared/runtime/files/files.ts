import { fail, failField, freeBytes } from '#kit'
import { isBound, isOwn, keyOf } from '../bounds.ts'
import { requireKeyFormat } from '../idempotency.ts'
import { actFor, isBoundToPerson, isForPerson } from '../people/act-for.ts'
import type { FileWire } from '../../wire/types.ts'
import type { Caller, Clock, Listed, Page, Store, StoredFile, Vault } from '../ports/index.ts'
import { openChunk } from './cipher.ts'
import { checkName } from './names.ts'
import type { PdfReader } from './pdf.ts'
import { nameFor, savingInto } from './save-body.ts'
import { fileOwner, openWriter } from './writer.ts'
import type { FileWriter, NewFile, WriterParts } from './writer.ts'
import type { File as FileView } from '../../api/resources/file.ts'

export type { FileView }

export type FileContent = FileView & {
  /** The content in chunks. May be called more than once. */
  read(): AsyncIterable<Uint8Array>
}

type Common = {
  expiresInHours?: number | undefined
  idempotencyKey?: string | undefined
  /** The person whom the file is for. */
  person?: string | undefined
}

/** Content uploaded by a caller. `length`: the announced number of bytes, if any. */
export type FileUpload = Common & {
  name: string
  mediaType?: string | undefined
  length?: number | undefined
  content: AsyncIterable<Uint8Array>
}
/** Content of at most 1 MB, as base64 text. */
export type FileText = Common & { name: string; mediaType?: string | undefined; base64: string }
/** Content to fetch from a URL: https, on the public internet. */
export type FileAddress = Common & { url: string; name?: string | undefined; signal?: AbortSignal | undefined }

export type Files = {
  /**
   * Stores a file. @throws Failure `invalid_input`, `too_large`, `not_allowed` (quota) or `conflict` (idempotency key);
   * nothing is stored then
   */
  create(caller: Caller, upload: FileUpload | FileText): Promise<FileView>
  /**
   * Fetches a URL under the egress rules, and stores its content. @throws Failure as `create`, and `not_allowed`,
   * `rejected`, `unreachable`
   */
  createFrom(caller: Caller, address: FileAddress): Promise<FileView>
  list(caller: Caller, page: Page, filter?: { person?: string }): Promise<Listed<FileView>>
  /** @throws Failure `not_found`, also for an expired file */
  get(caller: Caller, id: string): Promise<FileView>
  open(caller: Caller, id: string): Promise<FileContent>
  remove(caller: Caller, id: string): Promise<void>
}

export const maxTextBytes = 1_000_000

export const viewFile = ({
  id,
  name,
  mediaType,
  size,
  sha256,
  source,
  runId,
  person,
  createdAt,
  expiresAt,
}: StoredFile): FileView => ({
  id,
  name,
  mediaType,
  size,
  sha256,
  source,
  runId,
  person: person ?? null,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
})

/** Decodes base64. @throws Failure `invalid_input`, `too_large` */
export const readBase64 = (base64: string, field: string): Buffer => {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > maxTextBytes)
    throw failField(
      field,
      'A file given as base64 can have at most 1 MB. Send a larger one to POST /v1/files as it is, and give its id.',
      'too_large',
    )
  // The decoder skips characters that are not base64, so it returns fewer bytes than the text has room for.
  if (bytes.length !== Buffer.byteLength(base64, 'base64'))
    throw failField(field, 'This is not base64. Encode the bytes of the file.')
  return bytes
}

const gone = (caller: Caller, id: string) => {
  const other =
    isBound(caller) || caller.person !== undefined
      ? ' A token that is bound uses its own files alone, and a call for a person theirs: upload it with this token, for them.'
      : ''
  return fail(
    'not_found',
    `There is no file "${id.slice(0, 60)}", or it has expired: files are stored for 7 days unless another time was given. Upload it again with POST /v1/files, and give the new id.${other}`,
  )
}

type FilesDependencies = WriterParts & {
  store: Pick<Store, 'files'>
  vault: Pick<Vault, 'seal' | 'open'>
  clock: Clock
  wire: FileWire
}

const takeFrom = async (writer: FileWriter, content: AsyncIterable<Uint8Array>): Promise<StoredFile> => {
  try {
    for await (const bytes of content) await writer.write(bytes)
  } catch (error) {
    await writer.abort()
    throw error
  }
  return writer.end()
}

const maxHours = 30 * 24

const checkCommon = ({ expiresInHours, idempotencyKey }: Common): void => {
  if (
    expiresInHours !== undefined &&
    !(Number.isInteger(expiresInHours) && expiresInHours >= 1 && expiresInHours <= maxHours)
  )
    throw failField(
      'expiresInHours',
      `A file may be stored for 1 to ${maxHours} hours. Give a whole number of them, or leave it out for 7 days.`,
    )
  if (idempotencyKey !== undefined) requireKeyFormat(idempotencyKey)
}

/** `writer`: for steps that store content from a provider. `readPdf`: for those that read its text. */
export type FilesRuntime = Files & {
  writer(tenant: string, newFile: NewFile): Promise<FileWriter>
  readPdf: PdfReader
}

export const createFiles = (parts: FilesDependencies): FilesRuntime => {
  const { store, vault, clock, wire } = parts

  const find = async (caller: Caller, id: string): Promise<StoredFile> => {
    const file = await store.files.get(caller.tenant, id)
    if (!file || file.state !== 'ready' || file.expiresAt <= clock.now() || !isOwn(caller, file)) throw gone(caller, id)
    return file
  }
  const read = async function* (caller: Caller, file: StoredFile, key: Buffer): AsyncGenerator<Uint8Array> {
    const { tenant, id, size } = file
    let left = size
    for (let number = 0; left > 0; number += 1) {
      const sealed = await store.files.chunk(tenant, id, number)
      // The file was removed while it was being read.
      if (!sealed) throw gone(caller, id)
      const plain = openChunk(key, { tenant, id, number }, sealed)
      freeBytes(sealed)
      left -= plain.length
      yield plain
    }
  }
  let pdfReader: Promise<PdfReader> | undefined
  // Loaded with the first PDF: few processes read one.
  const loadPdfReader = () => (pdfReader ??= import('./pdf.ts').then(({ createPdfReader }) => createPdfReader()))
  const writer = (tenant: string, newFile: NewFile) => openWriter(parts, tenant, newFile)
  const common = (caller: Caller, { expiresInHours, idempotencyKey }: Common) => ({
    expiresInHours,
    connections: caller.connections,
    token: caller.token,
    person: caller.person,
    key: idempotencyKey === undefined ? undefined : keyOf(caller, idempotencyKey),
  })

  return {
    writer,
    readPdf: async (bytes, signal) => (await loadPdfReader())(bytes, signal),
    async create(requestedBy, upload) {
      const caller = actFor(requestedBy, upload.person)
      checkCommon(upload)
      const { tenant } = caller
      const { name, mediaType } = upload
      const newFile = { name: checkName(name, 'name'), mediaType, source: 'upload' as const, ...common(caller, upload) }
      if ('base64' in upload) {
        const bytes = readBase64(upload.base64, 'base64')
        const fileWriter = await writer(tenant, { ...newFile, length: bytes.length })
        await fileWriter.write(bytes)
        return viewFile(await fileWriter.end())
      }
      return viewFile(await takeFrom(await writer(tenant, { ...newFile, length: upload.length }), upload.content))
    },
    async createFrom(requestedBy, address) {
      const caller = actFor(requestedBy, address.person)
      checkCommon(address)
      const { url, signal } = address
      const name = address.name === undefined ? undefined : checkName(address.name, 'name')
      const saving = savingInto((said) =>
        writer(caller.tenant, {
          ...said,
          name: nameFor(name, said, url),
          source: 'address',
          ...common(caller, address),
        }),
      )
      const { file } = await saving.of(wire.fetchFile(url, saving.save.open, signal))
      return viewFile(file!)
    },
    async list(caller, page, { person } = {}) {
      if (person !== undefined && !isForPerson(caller, { person })) return { items: [] }
      const own = isBoundToPerson(caller) ? caller.person : person
      const { items, next } = await store.files.list(caller.tenant, page, clock.now(), own)
      return {
        items: items.filter((file) => isOwn(caller, file)).map(viewFile),
        ...(next === undefined ? {} : { next }),
      }
    },
    get: async (caller, id) => viewFile(await find(caller, id)),
    async open(caller, id) {
      const file = await find(caller, id)
      const { key } = vault.open({ tenant: caller.tenant, owner: fileOwner(id) }, file.secrets)
      const dataKey = Buffer.from(key!, 'base64')
      return { ...viewFile(file), read: () => read(caller, file, dataKey) }
    },
    async remove(caller, id) {
      await find(caller, id)
      await store.files.remove(caller.tenant, id)
    },
  }
}
