/** The optional fields of a search, of which each use needs few. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, Select } from '../ui/index.ts'
import type { LayoutField } from './draft.ts'

export type Drawn = { fields: LayoutField[]; draw(field: LayoutField): ComponentChildren }
/** `isUsed`: whether a field has a value or an error. */
type Props = Drawn & { isUsed(name: string): boolean; remove(name: string): void }

/** Fields that are added one by one: those with a value, those that were added, and a choice of the others. */
export const AddedFields = ({ fields, draw, isUsed, remove }: Props) => {
  const base = useId()
  const [addedNames, setAdded] = useState<string[]>([])
  const [chosen, choose] = useState('')
  const container = useRef<HTMLDivElement>(null)
  const isShown = ({ name }: LayoutField) => addedNames.includes(name) || isUsed(name)
  const others = fields.filter((field) => !isShown(field))
  const current = others.some(({ name }) => name === chosen) ? chosen : (others[0]?.name ?? '')
  const wasAdded = useRef(false)
  // Before the next key is pressed, so that the field gets every letter.
  useLayoutEffect(() => {
    if (!wasAdded.current) return
    wasAdded.current = false
    const rows = container.current?.querySelectorAll<HTMLElement>('[data-filter]') ?? []
    rows[rows.length - 1]?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  })
  const shown = fields
    .filter(isShown)
    .toSorted((left, right) => addedNames.indexOf(left.name) - addedNames.indexOf(right.name))
  return (
    <div class="added-fields" ref={container}>
      {shown.map((field) => (
        <div class="added-field" data-filter key={field.name}>
          {draw(field)}
          <Button
            kind="quiet"
            aria-label={`Remove ${field.title}`}
            onClick={() => {
              remove(field.name)
              setAdded(addedNames.filter((name) => name !== field.name))
              document.getElementById(`${base}-field`)?.focus()
            }}
          >
            ✕
          </Button>
        </div>
      ))}
      {others.length > 0 && (
        <div class="field add-field">
          <label for={`${base}-field`}>Filter</label>
          <span class="with-unit">
            <Select
              id={`${base}-field`}
              value={current}
              change={choose}
              options={others.map(({ name, title }) => [name, title])}
            />
            <Button
              onClick={() => {
                setAdded([...addedNames, current])
                wasAdded.current = true
              }}
            >
              Add filter
            </Button>
          </span>
        </div>
      )}
    </div>
  )
}
