// Words in pictures, in letters of strokes: what is drawn without a graphics card has no fonts either.
//
//   const Caption caption("backward-euler", {480, 360});
//   caption.draw(image, dark);
#pragma once

#include <string_view>
#include <vector>

#include "app/report/picture/render.hpp"

namespace lilyan {

// A line of text in the upper left corner of a picture. A long line has smaller letters. In a picture that is too small
// for letters there are none. Characters that there is no letter for are question marks.
class Caption {
 public:
  Caption(std::string_view text, const PictureSize& size);

  // The picture has the size that was told.
  void draw(Image& image, bool dark) const;
  [[nodiscard]] bool empty() const { return ink_.empty(); }

 private:
  int left_ = 0, top_ = 0, width_ = 0, height_ = 0;
  // How much of each pixel is ink, and how much of the rest is ground, so that letters can be read over a body.
  std::vector<float> ink_, ground_;
};

}  // namespace lilyan
