import { failField } from '#kit'
import { openCsv } from './csv.ts'
import { openJsonl } from './jsonl.ts'
import { headOf } from './table.ts'
import type { Content, Table } from './table.ts'

export type TableOptions = { format?: 'csv' | 'jsonl' | undefined; delimiter?: string | undefined }

const isJsonl = async (content: Content, name: string): Promise<boolean> => {
  if (/\.(jsonl|ndjson)$/i.test(name)) return true
  if (/\.(csv|tsv|txt)$/i.test(name)) return false
  return /^\uFEFF?\s*\{/.test((await headOf(content, 1_024)).toString('utf8'))
}

/**
 * Opens a file of rows. Its format is the requested one; otherwise the name decides, otherwise the first bytes. @throws
 * Failure `invalid_input`
 */
export const openTable = async (
  content: Content,
  name: string,
  { format, delimiter }: TableOptions = {},
): Promise<Table> => {
  if (delimiter !== undefined && !/^[^"\r\n\p{L}\p{N}]$/u.test(delimiter))
    throw failField(
      'delimiter',
      'The delimiter is one character that is no letter, digit, quote or line end: a comma, semicolon, tab or "|".',
    )
  const jsonl = format === undefined ? await isJsonl(content, name) : format === 'jsonl'
  return jsonl ? openJsonl(content) : openCsv(content, { delimiter })
}
