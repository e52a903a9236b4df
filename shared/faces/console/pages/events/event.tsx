import { Page } from '../../ui/page.tsx'

const Event = () => <Page title="Event">{null}</Page>

export default Event
