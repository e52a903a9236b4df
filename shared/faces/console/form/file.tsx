import { useState } from 'preact/hooks'
import type { File as StoredFile } from '../../../api/resources/file.ts'
import { request, useAction } from '../api/index.ts'
import { Button, ProblemBox, TextInput } from '../ui/index.ts'
import type { ControlProps } from './control.ts'

const showSize = (size: number) =>
  size < 1_000
    ? `${size} bytes`
    : size < 1_000_000
      ? `${(size / 1_000).toFixed(1)} kB`
      : `${(size / 1_000_000).toFixed(1)} MB`

const upload = async (file: File): Promise<StoredFile> => {
  const headers = { 'file-name': encodeURIComponent(file.name), 'content-type': 'application/octet-stream' }
  return (await (await request('POST', 'files', { body: file, headers })).json()) as StoredFile
}

/** Chooses a file of the user, which is uploaded at once, or a file that is already stored, by its id. */
export const FileControl = ({ field, value, set, attributes }: ControlProps) => {
  const [stored, setStored] = useState<StoredFile>()
  const [byId, setById] = useState(false)
  const { run, busy, problem } = useAction(async (file: File) => {
    const made = await upload(file)
    setStored(made)
    set({ file: made.id })
  })
  const id = (value as { file?: string } | undefined)?.file
  if (id !== undefined && !byId)
    return (
      <p class="row">
        <span>{stored?.id === id ? `${stored.name}, ${showSize(stored.size)}` : `File ${id}`}</span>
        <Button
          id={attributes.id}
          disabled={attributes.disabled}
          aria-label={`Remove ${field.title}`}
          onClick={() => set(undefined)}
        >
          Remove
        </Button>
      </p>
    )
  return (
    <>
      {byId ? (
        <TextInput
          {...attributes}
          aria-label={`Id of ${field.title}`}
          value={id ?? ''}
          change={(text) => set(text === '' ? undefined : { file: text.trim() })}
        />
      ) : (
        <input
          {...attributes}
          type="file"
          aria-label={field.title}
          disabled={attributes.disabled || busy}
          onChange={({ currentTarget: { files } }) => files?.[0] && void run(files[0])}
        />
      )}
      <span class="row">
        <Button kind="quiet" disabled={attributes.disabled} onClick={() => setById(!byId)}>
          {byId ? 'Choose a file' : 'Use a stored file'}
        </Button>
        <span role="status">{busy && 'Uploading…'}</span>
      </span>
      <ProblemBox problem={problem} />
    </>
  )
}
