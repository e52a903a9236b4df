import { useState } from 'preact/hooks'
import { post, useApi } from '../../api/index.ts'
import { ConfirmButton, CopiedId, Facts, WhenLoaded, Table } from '../../ui/index.ts'
import type { KeyRotation, Keys as KeysView } from '../../../../api/resources/keys.ts'

/** What each key is called; their ids are in the details. */
const titlesOf = ({ present, previous, kept }: KeysView): [id: string, title: string][] => [
  [present, 'Current key'],
  ...previous.map((id, at): [string, string] => [id, `Previous key ${at + 1}`]),
  ...kept
    .filter((id) => id !== present && !previous.includes(id))
    .map((id, at): [string, string] => [id, `Key ${at + 1} kept for backups`]),
]

const KeyTable = ({ keys }: { keys: KeysView }) => {
  const titles = new Map(titlesOf(keys))
  const ids = [...new Set([...titles.keys(), ...Object.keys(keys.rows)])]
  return (
    <Table
      caption="Keys"
      columns={[
        { title: 'Key', cell: (id) => titles.get(id) ?? 'A key that is not here' },
        { title: 'Encrypted rows', number: true, cell: (id) => keys.rows[id] ?? 0 },
        {
          title: 'Details',
          cell: (id) => (
            <details>
              <summary>Details</summary>
              <CopiedId id={id} />
            </details>
          ),
        },
      ]}
      rows={ids}
      keyOf={(id) => id}
    />
  )
}

const Rotated = ({ done }: { done: KeyRotation }) => (
  <div class="panel" role="status">
    <h2>{done.failed.length === 0 ? 'The key was rotated' : 'Some secrets could not be encrypted again'}</h2>
    <Facts
      facts={[
        ['Current key', <CopiedId id={done.keyId} />],
        ['Rows encrypted again', done.resealed],
        ['Rows not decrypted', done.failed.length > 0 && `${done.failed.length}: no available key decrypts them`],
      ]}
    />
    {!done.made && (
      <p>
        The keys come from the environment, so no new one was made: everything is now encrypted with the first of them.
      </p>
    )}
    {done.failed.length > 0 && (
      <ul>
        {done.failed.map(({ kind, tenant, id, reason }) => (
          <li key={kind + tenant + id}>
            {kind} of the tenant {tenant}: {reason}
            <details>
              <summary>Details</summary>
              <CopiedId id={id} />
            </details>
          </li>
        ))}
      </ul>
    )}
  </div>
)

export const Keys = () => {
  const keys = useApi<KeysView>('admin/keys')
  const [done, setDone] = useState<KeyRotation>()
  const rotate = async () => {
    setDone(await post<KeyRotation>('admin/keys/rotate'))
    keys.reload()
  }
  return (
    <>
      {done && <Rotated done={done} />}
      <WhenLoaded of={keys} what="the keys">
        {(keysView) => (
          <>
            <KeyTable keys={keysView} />
            <ConfirmButton label="Rotate the key" danger={false} title="Rotate the master key?" act={rotate}>
              <p>
                Every stored secret is encrypted again under a new key while the server keeps running. Older backups
                still need the previous key.
              </p>
            </ConfirmButton>
          </>
        )}
      </WhenLoaded>
    </>
  )
}
