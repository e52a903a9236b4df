import { createHash, randomUUIDv7 } from 'node:crypto'
import { fail } from '#kit'
import { digestOf } from '../admin/chosen-texts.ts'
import { overQuota } from '../admin/quotas.ts'
import type { Quotas } from '../admin/quotas.ts'
import type { TenantKeys } from '../admin/tenant-keys.ts'
import type { Clock, Store, StoredFile, Vault } from '../ports/index.ts'
import { createChunkSealer, newFileKey } from './cipher.ts'
import { sniffedBytes, sniffType } from './sniff.ts'

export const megabyte = 1_000_000
/** Bytes in one row of the store. */
const chunkBytes = 128 * 1024
const hour = 3_600_000
/** A file whose process died while writing it expires after this time. */
const maxWritingMs = hour
export const defaultHours = 7 * 24

export type NewFile = {
  name: string
  /** The media type as declared with the content. */
  mediaType?: string | undefined
  source: StoredFile['source']
  /** Whether it is the result of a job, whose size only the tenant's total quota limits. */
  isResult?: boolean | undefined
  /** The announced number of bytes; content of another length is refused. */
  length?: number | undefined
  expiresInHours?: number | undefined
  runId?: string | undefined
  /** Ids of the connections that the file belongs to. */
  connections?: string[] | undefined
  /** Id of the token that creates the file. */
  token?: string | undefined
  /** The person whom the file is for. */
  person?: string | null | undefined
  /** The idempotency key, as the caller sent it. */
  key?: string | undefined
}

/** Receives the content of a file piece by piece. Whoever opens one must call `end` or `abort`. */
export type FileWriter = {
  /** @throws Failure `too_large` beyond the maximum size of a file, `not_allowed` beyond the tenant's quota */
  write(bytes: Uint8Array): Promise<void>
  /** @throws Failure `invalid_input` when the content is not as long as announced; nothing is stored then */
  end(): Promise<StoredFile>
  abort(): Promise<void>
}

export const fileOwner = (id: string) => `file:${id}`

export type WriterParts = {
  store: Pick<Store, 'files'>
  vault: Pick<Vault, 'seal'>
  tenantKeys: TenantKeys
  quotas: Quotas
  clock: Clock
}

const tooLarge = (megabytes: number) =>
  fail(
    'too_large',
    `The file is larger than ${megabytes} MB. Give a smaller one, or ask the operator to raise the limit "fileMegabytes".`,
  )

const wrongLength = (announced: number, size: number) =>
  fail(
    'invalid_input',
    `${announced} bytes were announced, but the content has ${size > announced ? 'more' : size}. Nothing was stored; send the file again with its correct length.`,
  )

/** Collects bytes into chunks of equal size, in one buffer that is reused. */
const createChunker = () => {
  const held = Buffer.alloc(chunkBytes)
  let size = 0
  const take = () => {
    const chunk = held.subarray(0, size)
    size = 0
    return chunk
  }
  return {
    /** Calls `append` for each full chunk; it must be done with the chunk before the next one. */
    async add(bytes: Uint8Array, append: (chunk: Buffer) => Promise<void>) {
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + chunkBytes - size)
        held.set(part, size)
        size += part.length
        at += part.length
        if (size === chunkBytes) await append(take())
      }
    },
    takeRemainder: () => (size > 0 ? take() : undefined),
  }
}

const noRoom = (megabytes: number) =>
  fail(
    'not_allowed',
    `The files of this tenant can have ${megabytes} MB in total, and this one does not fit. Remove some, wait until they expire, or ask the operator to raise the limit "filesMegabytes".`,
  )

/** Refuses a file that exceeds the tenant's quota. `more`: the bytes it needs. */
const requireRoom = async ({ store, quotas }: WriterParts, tenant: string, more: number): Promise<void> => {
  const { filesMegabytes } = quotas.of(tenant)
  const { bytes } = await store.files.usage(tenant)
  if (bytes + more > filesMegabytes * megabyte) throw noRoom(filesMegabytes)
}

const newRow = async (
  { vault, tenantKeys, clock }: WriterParts,
  tenant: string,
  newFile: NewFile,
  dataKey: Buffer,
): Promise<StoredFile> => {
  const id = `fil_${randomUUIDv7()}`
  const now = clock.now()
  return {
    id,
    tenant,
    name: newFile.name,
    mediaType: 'application/octet-stream',
    size: 0,
    sha256: '',
    state: 'writing',
    source: newFile.source,
    runId: newFile.runId ?? null,
    connections: newFile.connections ?? null,
    token: newFile.token ?? null,
    person: newFile.person ?? null,
    key: newFile.key === undefined ? null : digestOf(await tenantKeys.of(tenant), 'file', newFile.key),
    secrets: vault.seal({ tenant, owner: fileOwner(id) }, { key: dataKey.toString('base64') }),
    createdAt: now,
    expiresAt: now + maxWritingMs,
  }
}

/** Opens a new file for writing. @throws Failure `too_large`, `not_allowed` (quota), `unavailable` (disk) */
export const openWriter = async (parts: WriterParts, tenant: string, newFile: NewFile): Promise<FileWriter> => {
  const { store, quotas, clock } = parts
  const { filesMegabytes, files, ...limits } = quotas.of(tenant)
  const fileMegabytes = newFile.isResult ? filesMegabytes : limits.fileMegabytes
  const { length } = newFile
  if (length !== undefined && length > fileMegabytes * megabyte) throw tooLarge(fileMegabytes)
  await requireRoom(parts, tenant, length ?? 0)
  const dataKey = newFileKey()
  const row = await newRow(parts, tenant, newFile, dataKey)
  const { id } = row
  if (!(await store.files.add(row, files))) throw overQuota(files, 'files', 'files')

  const hash = createHash('sha256')
  const chunker = createChunker()
  const seal = createChunkSealer(dataKey, chunkBytes)
  let head = Buffer.alloc(0)
  let size = 0
  let number = 0

  const append = async (plain: Buffer) => {
    if (
      !(await store.files.append(
        tenant,
        id,
        number,
        seal({ tenant, id, number }, plain),
        plain.length,
        filesMegabytes * megabyte,
      ))
    ) {
      await requireRoom(parts, tenant, plain.length)
      throw fail('conflict', 'The file was deleted while its content was received. Send it again.')
    }
    number += 1
  }
  const abort = async () => void (await store.files.remove(tenant, id))
  /** Removes the whole file when writing it fails. */
  const orNothing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      await abort()
      throw error
    }
  }

  const take = async (bytes: Uint8Array) => {
    size += bytes.length
    if (size > fileMegabytes * megabyte) throw tooLarge(fileMegabytes)
    if (length !== undefined && size > length) throw wrongLength(length, size)
    if (head.length < sniffedBytes) head = Buffer.concat([head, bytes.subarray(0, sniffedBytes - head.length)])
    hash.update(bytes)
    await chunker.add(bytes, append)
  }
  const finish = async (): Promise<StoredFile> => {
    if (length !== undefined && size !== length) throw wrongLength(length, size)
    const lastChunk = chunker.takeRemainder()
    if (lastChunk) await append(lastChunk)
    const expiresAt = clock.now() + (newFile.expiresInHours ?? defaultHours) * hour
    const fileFacts = { mediaType: sniffType(head, newFile.mediaType), sha256: hash.digest('hex'), expiresAt }
    const isFinished = async () => store.files.finish(tenant, id, fileFacts)
    if ((await isFinished()) || ((await removeExpired(parts, row)) && (await isFinished())))
      return { ...row, ...fileFacts, size, state: 'ready' }
    return await earlierFile(parts, row, fileFacts.sha256)
  }
  return { write: (bytes) => orNothing(() => take(bytes)), end: () => orNothing(finish), abort }
}

/** Removes an earlier file with the same idempotency key if it has expired. */
const removeExpired = async ({ store, clock }: WriterParts, { tenant, key }: StoredFile): Promise<boolean> => {
  const earlier = key === null ? undefined : await store.files.byKey(tenant, key)
  return earlier !== undefined && earlier.expiresAt <= clock.now() && store.files.remove(tenant, earlier.id)
}

/** The file of an earlier request with the same idempotency key and content, which replaces this one. */
const earlierFile = async (
  { store }: WriterParts,
  { tenant, id, key, name }: StoredFile,
  sha256: string,
): Promise<StoredFile> => {
  const earlier = key === null ? undefined : await store.files.byKey(tenant, key)
  if (!earlier || earlier.sha256 !== sha256 || earlier.name !== name)
    throw fail(
      'conflict',
      'This Idempotency-Key was used for another file, or the file was deleted while its content was received. Use a new key.',
    )
  await store.files.remove(tenant, id)
  return earlier
}
