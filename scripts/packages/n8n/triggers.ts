import type { Manifest } from '../manifests.ts'
import { formOf } from './form.ts'
import { print } from './print.ts'
import { propertyOf, specOf } from './property.ts'
import type { FieldSpec, Property } from './property.ts'
import { codex, connectionProperty, iconsOf, methodsOf, usedChoices } from './steps.ts'
import { camelCase, description, pascalCase, titleCase } from './words.ts'

/**
 * Subscription options are the same for all triggers, except for the values that each trigger allows; those are checked
 * by the server.
 */
const optionsOf = ({ triggers }: Manifest) => [
  ...new Map(
    triggers.flatMap(({ optionsLayout }) => optionsLayout.fields.map((field) => [field.name, field])),
  ).values(),
]

const optionsProperty = (manifest: Manifest): Property => ({
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: optionsOf(manifest)
    .map((field) => propertyOf({ ...field, required: false }))
    .toSorted((property, other) => property.displayName.localeCompare(other.displayName, 'en')),
})

const testProperty: Property = {
  displayName: 'Test With',
  name: 'testWith',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Newest Event or Sample',
      value: 'sample',
      description: 'A test run starts at once, with the newest event that matches or a sample',
    },
    { name: 'Next Event', value: 'next', description: 'A test run waits until something happens' },
  ],
  default: 'sample',
  description: 'What a test run in the editor starts with',
}

const nodeSource = (manifest: Manifest, properties: Property[]) => {
  const title = print(`${titleCase(manifest.title)} Trigger`)
  return `import { NodeConnectionTypes } from 'n8n-workflow';
import type { IHookFunctions, INodeType, INodeTypeDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { ${usedChoices(manifest.triggers).join(', ')} } from '../shared/choices';
import { createSubscription, hasSubscription, receiveStart, removeSubscription } from '../shared/subscribe';
import { triggers } from './triggers';
import { triggerProperties } from './triggerProperties';

export class ${pascalCase(manifest.id)}Trigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: ${title},
		name: '${camelCase(manifest.id)}Trigger',
		icon: ${iconsOf(manifest)},
		group: ['trigger'],
		version: 1,
		subtitle: '={{$parameter["event"].replace(/-/g, " ")}}',
		description: ${print(
      `Starts the workflow when something happens: ${manifest.triggers
        .slice(0, 3)
        .map(({ title: triggerTitle }) => triggerTitle.toLowerCase())
        .join(', ')} and more`,
    )},
		defaults: { name: ${title} },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'toolyardApi', required: true }],
		webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
		properties: [
			${print(properties[0], '\t\t\t')},
			...triggerProperties,
		],
	};

	methods = ${methodsOf(manifest, 'trigger', manifest.triggers)};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await hasSubscription(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await createSubscription(this, ${print(manifest.id)}, triggers);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await removeSubscription(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveStart(this);
	}
}
`
}

/** Files of the node that starts workflows through an integration's triggers. */
export const triggerNode = (manifest: Manifest): Record<string, string> => {
  const specs: Record<string, { fields: FieldSpec[]; options: FieldSpec[] }> = {}
  const event: Property = {
    displayName: 'Event',
    name: 'event',
    type: 'options',
    noDataExpression: true,
    options: manifest.triggers
      .map(({ id, title, purpose, caveat }) => ({
        name: titleCase(title),
        value: id,
        description: description(caveat === null ? purpose : `${purpose} ${caveat}`),
      }))
      .toSorted((choice, other) => choice.name.localeCompare(other.name, 'en')),
    default: manifest.triggers[0]!.id,
  }
  const forms = manifest.triggers.map((trigger) => {
    const { id, config, optionsLayout } = trigger
    const form = formOf(trigger, config, { event: [id] })
    specs[id] = { fields: form.fields, options: optionsLayout.fields.map((field) => specOf(field)) }
    return form
  })
  const properties = [
    connectionProperty,
    ...forms.flatMap((form) => form.properties),
    optionsProperty(manifest),
    testProperty,
  ]
  const name = `${pascalCase(manifest.id)}Trigger`
  return {
    'triggerProperties.ts': `import type { INodeProperties } from 'n8n-workflow';\n\nexport const triggerProperties: INodeProperties[] = ${print(properties)};\n`,
    'triggers.ts': `import type { TriggerSpecs } from '../shared/read-input';\n\nexport const triggers: TriggerSpecs = ${print(specs)};\n`,
    [`${name}.node.ts`]: nodeSource(manifest, [event]),
    [`${name}.node.json`]: codex(
      manifest,
      `${camelCase(manifest.id)}Trigger`,
      manifest.triggers.flatMap(({ keywords }) => keywords),
    ),
  }
}
