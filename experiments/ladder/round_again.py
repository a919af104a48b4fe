"""The matrices of a GGUF file rounded once more, to Q8_0 or Q4_0; vectors stay as they are.

python experiments/ladder/round_again.py FILE.gguf Q4_0 FILE-Q4_0.gguf
"""

from __future__ import annotations

import sys

import gguf


def main(source: str, kind: str, out: str) -> None:
    rounded = gguf.GGMLQuantizationType[kind]
    plain = (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16)
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(out, reader.fields["general.architecture"].contents())
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name not in ("general.architecture", "general.file_type"):
            inner = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, field.contents(), field.types[0], sub_type=inner)
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type)
        if tensor.tensor_type in plain:
            writer.add_tensor(tensor.name, values.astype("float32"))
        else:
            writer.add_tensor(tensor.name, gguf.quantize(values, rounded), raw_dtype=rounded)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
