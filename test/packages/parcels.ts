import type { Field, Manifest, StepOf } from '../../scripts/packages/manifests.ts'

const field = (name: string, more: Partial<Field> = {}): Field => ({
  name,
  title: name.charAt(0).toUpperCase() + name.slice(1),
  description: `Field ${name}.`,
  control: 'text',
  required: false,
  place: 'more',
  ...more,
})

const step = (id: string, fields: Field[], more: Partial<StepOf> = {}): StepOf => ({
  id,
  title: 'Send Parcel',
  group: 'Parcels',
  purpose: 'Sends a parcel.',
  tool: `parcel_post_${id.replaceAll('-', '_')}`,
  badges: [],
  keywords: ['mail'],
  connection: { required: true, types: ['key'] },
  effect: 'create',
  cost: null,
  price: null,
  agentFields: null,
  legacy: null,
  deprecated: null,
  form: { properties: { note: { type: 'string', minLength: 0 } } },
  output: {},
  container: null,
  layout: { fields, oneOf: null },
  sample: null,
  examples: [],
  ...more,
})

/** A small integration with every control, a choice of exactly one, and a condition. */
export const parcels: Manifest = {
  id: 'parcel-post',
  title: 'Parcel post',
  summary: 'Parcels and their tracking.',
  keywords: ['post'],
  version: '0.1.0',
  icon: { light: 'icons/toolyard.svg', dark: 'icons/toolyard-dark.svg' },
  groups: ['Parcels'],
  steps: [
    step('send-parcel', [
      field('depot', { control: 'pick', place: 'main', scope: true, accepts: 'id-or-url' }),
      field('shelf', { control: 'pick', required: true, place: 'main', dependsOn: ['depot'] }),
      field('size', {
        control: 'choice',
        required: true,
        place: 'main',
        choices: ['s', 'extraLarge'],
        labels: { s: 'Small' },
      }),
      field('items', {
        control: 'rows',
        required: true,
        place: 'main',
        row: { fields: [field('what'), field('count', { control: 'number' })], oneOf: null },
      }),
      field('note', { control: 'long-text' }),
      field('fragile', { control: 'switch', description: 'Handle with care.' }),
      field('padding', { control: 'text', showWhen: { field: 'fragile', is: [true] } }),
      field('stamps', { control: 'pick-many', dependsOn: ['depot'] }),
      field('extras', { control: 'choices', choices: ['signed', 'insured'] }),
      field('codes', { control: 'list' }),
      field('sendAt', { control: 'date-time' }),
      field('wait', { control: 'duration', unit: 'ms', title: 'Quiet period' }),
      field('label', { control: 'file' }),
      field('custom', { control: 'json' }),
    ]),
    step(
      'find-parcel',
      [
        field('code', { place: 'main', placeholder: 'AB12' }),
        field('street', { place: 'main' }),
        field('city', { place: 'main' }),
        field('limit', { control: 'number', default: 1000 }),
      ],
      {
        title: 'Find Parcel',
        effect: 'read',
        layout: {
          fields: [
            field('code', { place: 'main', placeholder: 'AB12' }),
            field('street', { place: 'main' }),
            field('city', { place: 'main' }),
          ],
          oneOf: {
            exactlyOne: true,
            sets: [
              { title: 'Code', fields: ['code'] },
              { title: 'Street + City', fields: ['street', 'city'] },
            ],
          },
        },
      },
    ),
  ],
  triggers: [],
  toolSets: [],
}
