import { fail, failField } from '#kit'
import type { FilePart, FileRef, FileRows, Json, OpenFile, PdfText, SavedFile, StepContext } from '#kit'
import type { OutgoingFile } from '../../wire/types.ts'
import { readBase64 } from '../files/files.ts'
import { checkName } from '../files/names.ts'
import { keepingBytes, nameFor, savingInto } from '../files/save-body.ts'
import { sniffType } from '../files/sniff.ts'
import { effectOfRequest, exchangeChecked } from '../gate/gate.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session, SessionFiles } from './session.ts'

const inline = ({ name, base64 }: FileRef): { name: string; bytes: Buffer; mediaType: string } => {
  const bytes = readBase64(base64 ?? '', 'base64')
  return { name: checkName(name ?? '', 'name'), bytes, mediaType: sniffType(bytes) }
}

const requireFiles = ({ files }: Session): SessionFiles => {
  if (files) return files
  throw fail('internal', 'There are no files here: only a run of a step has them.')
}

const openStored = (session: Session, id: string): Promise<OpenFile> => {
  const { files, caller } = requireFiles(session)
  return files.open(caller, id)
}

export const openFile = async (session: Session, ref: FileRef): Promise<OpenFile> => {
  if (ref.file !== undefined) return openStored(session, ref.file)
  const { name, bytes, mediaType } = inline(ref)
  return {
    name,
    mediaType,
    size: bytes.length,
    async *read() {
      yield bytes
    },
  }
}

const maxRowsBytes = 5_000_000

/** Reads a file of rows. Its code is loaded with the first one: few steps take such files. */
export const readRows = async (
  session: Session,
  ref: FileRef,
  { fields, most }: Parameters<StepContext['rows']>[1],
): Promise<FileRows> => {
  const [file, { openTable }, { fieldReader, matchColumns }] = await Promise.all([
    openFile(session, ref),
    import('../tables/open-table.ts'),
    import('../tables/columns.ts'),
  ])
  if (file.size > maxRowsBytes)
    throw failField(
      'file',
      `The file has ${file.size} bytes; rows are read from at most ${maxRowsBytes}. Split it into several files.`,
      'too_large',
    )
  const table = await openTable(() => file.read(), file.name)
  const columns = matchColumns(table.columns, Object.entries(fields))
  const read = fieldReader(table, columns)
  const rows: FileRows['rows'] = []
  for await (const row of table.rows()) {
    if (row.at >= most)
      throw failField('file', `The file has more than ${most} rows. Split it into files of at most ${most} rows.`)
    rows.push(read(row))
  }
  const used = Object.values(columns)
  return { rows, columns, unused: table.columns.filter((column) => !used.includes(column)) }
}

const isRef = (value: Json | undefined): value is FileRef & { [name: string]: Json } =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (typeof value['file'] === 'string' || typeof value['base64'] === 'string')

const isRaw = ({ loaded }: Session, { bodyAs }: OutgoingRequest) => (bodyAs ?? loaded.loaded.wire.body) === 'raw'

/** Whether the body of a request may name files. */
export const takesFiles = (session: Session, { body, bodyAs }: OutgoingRequest) => {
  if (body === undefined) return false
  const kind = bodyAs ?? session.loaded.loaded.wire.body
  return kind === 'multipart' || kind === 'raw'
}

/** A value of a body, in which inline content becomes a part; a stored file that it names is opened. */
const openedPart = async (session: Session, value: Json, opened: Map<string, OutgoingFile>): Promise<Json> => {
  if (!isRef(value)) return value
  if (typeof value.file === 'string') {
    opened.set(value.file, await openStored(session, value.file))
    return value
  }
  if ('filename' in value) return value
  const { name: filename, mediaType: contentType } = inline(value)
  return { filename, contentType, base64: value.base64! } satisfies FilePart
}

/** Adds to a request the files that its multipart or raw body names. */
export const withFiles = async (session: Session, request: OutgoingRequest): Promise<OutgoingRequest> => {
  const { body } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return request
  const files = new Map<string, OutgoingFile>()
  if (isRaw(session, request)) return { ...request, body: await openedPart(session, body, files), files }
  const parts: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(body)) parts[name] = await openedPart(session, value, files)
  return { ...request, body: parts, files }
}

/** The files of the run, for a request whose reply is to be stored. */
export const requireStorable = (session: Session, request: OutgoingRequest): SessionFiles => {
  // A read that costs credits is treated as a write elsewhere, but not here.
  if (effectOfRequest({ ...session, cost: undefined }, request) === 'read') return requireFiles(session)
  throw failField('effect', 'Only the reply of a request that reads is stored as a file.', 'internal')
}

/** Sends one request and stores the body of its reply as a file; after a failure, nothing is stored. */
export const saveReply = async (
  session: Session,
  request: OutgoingRequest,
  name: string | undefined,
): Promise<SavedFile> => {
  const { files, caller, runId } = requireStorable(session, request)
  const { connection } = session.opened
  const saving = savingInto((said) =>
    files.writer(caller.tenant, {
      // The name that a step passes may come from the provider.
      name: nameFor(undefined, { ...said, name: name ?? said.name }, `http://path${request.path}`),
      mediaType: said.mediaType,
      length: said.length,
      source: 'step',
      runId,
      connections: [connection.id],
      token: caller.token,
      person: caller.person ?? connection.person,
    }),
  )
  const { file } = await saving.of(exchangeChecked(session, { ...request, save: saving.save }))
  if (!file) throw fail('bad_reply', 'The provider answered without a file.')
  const { id, name: stored, mediaType, size, sha256, expiresAt } = file
  return { file: id, name: stored, mediaType, size, sha256, expiresAt: new Date(expiresAt).toISOString() }
}

const maxPdfBytes = 5_000_000

/** Sends one request and reads the text of the PDF in its reply. @throws Failure `invalid_input` for `field` */
export const readPdf = async (session: Session, request: OutgoingRequest, field: string): Promise<PdfText> => {
  const { files } = requireStorable(session, request)
  const body = keepingBytes(maxPdfBytes, () =>
    failField(field, `The PDF has more than ${maxPdfBytes} bytes. Split it, or remove its pictures.`, 'too_large'),
  )
  await exchangeChecked(session, { ...request, save: body.save })
  const answer = await files.readPdf(body.bytes(), session.signal)
  if ('problem' in answer) throw failField(field, answer.problem)
  return answer
}
