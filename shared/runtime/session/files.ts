import { fail, failField } from '#kit'
import type { FilePart, FileRef, Json, OpenFile, SavedFile } from '#kit'
import type { OutgoingFile } from '../../wire/types.ts'
import { readBase64 } from '../files/files.ts'
import { checkName } from '../files/names.ts'
import { nameFor, savingInto } from '../files/save-body.ts'
import { sniffType } from '../files/sniff.ts'
import { exchangeChecked } from '../gate/gate.ts'
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

const isRef = (value: Json | undefined): value is FileRef & { [name: string]: Json } =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (typeof value['file'] === 'string' || typeof value['base64'] === 'string')

export const isMultipart = ({ loaded }: Session, { body, bodyAs }: OutgoingRequest) =>
  body !== undefined && (bodyAs ?? loaded.loaded.wire.body) === 'multipart'

/**
 * Adds to a request the files that its multipart body names: stored files are opened, inline content becomes a part.
 */
export const withFiles = async (session: Session, request: OutgoingRequest): Promise<OutgoingRequest> => {
  const { body } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return request
  const opened = new Map<string, OutgoingFile>()
  const parts: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(body)) {
    if (!isRef(value)) parts[name] = value
    else if (typeof value.file === 'string') {
      opened.set(value.file, await openStored(session, value.file))
      parts[name] = value
    } else if ('filename' in value) parts[name] = value
    else {
      const { name: filename, mediaType: contentType } = inline(value)
      parts[name] = { filename, contentType, base64: value.base64! } satisfies FilePart
    }
  }
  return { ...request, body: parts, files: opened }
}

/** The files of the run, for a request whose reply is to be stored. */
export const requireStorable = (session: Session, request: OutgoingRequest): SessionFiles => {
  if (request.method === 'GET') return requireFiles(session)
  throw failField('method', 'Only the reply of a GET request is stored as a file.', 'internal')
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
