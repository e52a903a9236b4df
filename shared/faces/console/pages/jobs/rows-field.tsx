/** Rows of a list that somebody chooses as a file or pastes. */
import { useEffect, useState } from 'preact/hooks'
import { request } from '../../api/index.ts'
import { Table, TextField } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { previewBytes, previewOf } from './rows.ts'
import type { Preview } from './rows.ts'

export type PastedRows = { file: File | undefined; pasted: string }

/** The file to upload; pasted rows become one. */
export const fileOf = ({ file, pasted }: PastedRows): File | undefined =>
  pasted.trim() === '' ? file : new File([pasted], 'pasted rows.csv', { type: 'text/csv' })

/** Stores a file at the server. Returns its id. */
export const upload = async (file: File): Promise<string> => {
  const headers = { 'file-name': encodeURIComponent(file.name), 'content-type': 'application/octet-stream' }
  return ((await (await request('POST', 'files', { body: file, headers })).json()) as { id: string }).id
}

/** Reads the first rows that were chosen or pasted. */
export const usePreview = ({ file, pasted }: PastedRows): Preview | undefined => {
  const [preview, setPreview] = useState<Preview>()
  useEffect(() => {
    let isCurrent = true
    const text = pasted.trim() === '' ? file?.slice(0, previewBytes).text() : Promise.resolve(pasted)
    if (text === undefined) setPreview(undefined)
    void text?.then((start) => isCurrent && setPreview(previewOf(start)))
    return () => void (isCurrent = false)
  }, [file, pasted])
  return preview
}

export const FirstRows = ({ preview: { columns, rows, hasMore } }: { preview: Preview }) => (
  <>
    <Table
      caption="The first rows of the list"
      rows={rows.map((cells, at) => ({ cells, at }))}
      keyOf={({ at }) => String(at)}
      columns={columns.map((title, at): Column<{ cells: string[]; at: number }> => ({
        title: title || `Column ${at + 1}`,
        cell: ({ cells }) => cells[at] ?? '',
      }))}
    />
    {hasMore && <p class="muted">And more rows below.</p>}
  </>
)

/** Takes rows: a file, or what is pasted from a spreadsheet. */
export const RowsField = ({ rows, change }: { rows: PastedRows; change(rows: Partial<PastedRows>): void }) => (
  <>
    <div class="field">
      <label for="rows-file">File</label>
      <input
        id="rows-file"
        type="file"
        accept=".csv,.tsv,.txt,.jsonl,.ndjson"
        required={rows.pasted.trim() === ''}
        onChange={({ currentTarget: { files } }) => change({ file: files?.[0] })}
      />
      <p class="muted">CSV with a header line, or JSONL. The server deletes it after 7 days.</p>
    </div>
    <details>
      <summary>Or paste rows from a spreadsheet</summary>
      <TextField
        label="Rows"
        rows={5}
        spellcheck={false}
        value={rows.pasted}
        change={(pasted) => change({ pasted })}
        hint="With the line of titles first. They are used in place of a file."
      />
    </details>
  </>
)
