export { BadSetting, type Config, describeSettings, readConfig } from './config.ts';
export { type Service, startService, type Surroundings } from './main.ts';
export { VERSION } from './version.ts';
