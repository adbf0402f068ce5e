// A file of glTF 2.0 under Khronos' validator (npm: gltf-validator), from the folder NODE_MODULES.
//   node gltf_check.mjs NODE_MODULES FILE.glb     prints its counts; exit 1 when it finds errors or warnings
// SPDX-License-Identifier: MIT
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const [folder, file] = process.argv.slice(2);
const validator = createRequire(folder + '/')('gltf-validator');
const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
const { numErrors, numWarnings, messages } = report.issues;
for (const m of messages.filter((one) => one.severity < 2)) console.log(m.code, m.pointer, m.message);
console.log(`errors ${numErrors} warnings ${numWarnings} animations ${report.info.animationCount} triangles ${report.info.totalTriangleCount}`);
process.exit(numErrors + numWarnings > 0 ? 1 : 0);
