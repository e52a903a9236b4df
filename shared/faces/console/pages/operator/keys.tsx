import { useState } from 'preact/hooks'
import { post, useApi } from '../../api/index.ts'
import { ConfirmButton, Facts, WhenLoaded, Table } from '../../ui/index.ts'
import type { KeyRotation, Keys as KeysView } from '../../../../api/resources/keys.ts'

const ids = (list: string[]) => list.length > 0 && list.map((id) => <code key={id}>{id} </code>)

const Rotated = ({ done }: { done: KeyRotation }) => (
  <div class="panel" role="status">
    <h2>{done.failed.length === 0 ? 'The key was rotated' : 'Some secrets could not be encrypted again'}</h2>
    <Facts
      facts={[
        ['Current key', <code>{done.keyId}</code>],
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
            {kind} <code>{id}</code> of {tenant}: {reason}
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
        {({ present, previous, kept, rows }) => (
          <>
            <Facts
              facts={[
                ['Current key', <code>{present}</code>],
                ['Previous keys', ids(previous)],
                ['Kept for backups', ids(kept)],
              ]}
            />
            <h2 class="spaced">Encrypted rows by key</h2>
            <Table
              caption="Encrypted rows by key"
              columns={[
                { title: 'Key', cell: ([id]) => <code>{id}</code> },
                { title: 'Rows', number: true, cell: ([, count]) => count },
              ]}
              rows={Object.entries(rows)}
              keyOf={([id]) => id}
            />
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
