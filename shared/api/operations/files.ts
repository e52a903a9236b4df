import { byId } from '../resources/fields.ts'
import { listOf } from '../resources/page.ts'
import { file, fileFilter, fileHeaders, fileQuery, fileBody } from '../resources/file.ts'
import { defineOperations } from '../operation.ts'

export const fileOperations = defineOperations({
  listFiles: {
    method: 'GET',
    path: '/v1/files',
    tag: 'Files',
    summary: 'List files',
    description:
      'Stored files that have not expired, newest first, without their content; for a token that is bound, its own.',
    input: { query: fileFilter },
    output: { description: 'Newest first', schema: listOf(file) },
    failures: [],
  },
  downloadFile: {
    method: 'GET',
    path: '/v1/files/{id}',
    tag: 'Files',
    summary: 'Download a file',
    description:
      'The content of a file, as an attachment. Types of text, pictures, sound, film, archives and office documents are sent as such, all others as application/octet-stream.',
    input: { params: byId },
    output: { description: 'The content', content: '*/*', contentDescription: 'The bytes of the file' },
    failures: ['not_found'],
  },
  getFile: {
    method: 'GET',
    path: '/v1/files/{id}/metadata',
    tag: 'Files',
    summary: 'Get the metadata of a file',
    description: 'Name, media type, size, hash and expiry of a file.',
    input: { params: byId },
    output: { description: 'The file, without its content', schema: file },
    failures: ['not_found'],
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/files/{id}',
    tag: 'Files',
    summary: 'Delete a file',
    description: 'Deletes a file and its content. What steps already sent to a provider stays there.',
    input: { params: byId },
    output: { status: 204, description: 'Deleted' },
    failures: ['not_found'],
  },
  createFile: {
    method: 'POST',
    path: '/v1/files',
    tag: 'Files',
    summary: 'Store a file',
    description:
      'Stores a file for steps, which take it as `{ "file": "<id>" }`. Send the content as it is with its name in the header File-Name, or as multipart/form-data, or as JSON: `{ name, base64 }` for at most 1 MB, `{ url }` for a public https address. The media type is detected from the content.',
    input: { query: fileQuery, headers: fileHeaders },
    upload: fileBody,
    output: { status: 201, description: 'The stored file', schema: file },
    failures: ['too_large', 'conflict', 'rejected', 'unreachable', 'bad_reply', 'cancelled'],
  },
})
